//! Merge: four views of the same nodes become one number.

use m1nd_graph::NodeIx;

use super::Active;

/// The views.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dimension {
    Structural,
    Semantic,
    Temporal,
    Causal,
}

impl Dimension {
    pub const ALL: [Dimension; 4] = [Self::Structural, Self::Semantic, Self::Temporal, Self::Causal];

    pub fn name(self) -> &'static str {
        match self {
            Self::Structural => "structural",
            Self::Semantic => "semantic",
            Self::Temporal => "temporal",
            Self::Causal => "causal",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dimension| dimension.name() == text)
    }
}

/// In the order of [`Dimension::ALL`].
const WEIGHTS: [f32; 4] = [0.35, 0.25, 0.15, 0.25];
/// What agreement of all four, and of three, is worth.
const BONUS: [f32; 5] = [1.0, 1.0, 1.0, 1.3, 1.5];

/// One node, as all views see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Merged {
    pub node: NodeIx,
    pub activation: f32,
    /// In the order of [`Dimension::ALL`].
    pub dimensions: [f32; 4],
}

/// Every node that any view knows, in the order of nodes. A view that is silent gives its weight to the others.
pub fn merge(views: &[Active; 4]) -> Vec<Merged> {
    let speaks = |nth: usize| !views[nth].is_empty();
    let said: f32 = (0..4).filter(|&nth| speaks(nth)).map(|nth| WEIGHTS[nth]).sum();
    let mut merged = Vec::with_capacity(views.iter().map(Vec::len).max().unwrap_or_default());
    let mut at = [0; 4];
    let next =
        |at: &[usize; 4]| (0..4).filter_map(|nth| views[nth].get(at[nth]).map(|&(node, _)| node)).min();
    while let Some(node) = next(&at) {
        let mut dimensions = [0.0; 4];
        for nth in 0..4 {
            if let Some(&(_, seen)) = views[nth].get(at[nth]).filter(|(other, _)| *other == node) {
                dimensions[nth] = seen;
                at[nth] += 1;
            }
        }
        let sum: f32 = (0..4).map(|nth| dimensions[nth] * WEIGHTS[nth] / said).sum();
        let agree = dimensions.iter().filter(|&&seen| seen > 0.0).count();
        merged.push(Merged { node, activation: sum * BONUS[agree], dimensions });
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(views: [&[(u32, f32)]; 4]) -> Vec<(u32, f32)> {
        let views = views.map(|view| view.iter().map(|&(node, seen)| (NodeIx(node), seen)).collect());
        let rounded = |seen: f32| (seen * 1000.0).round() / 1000.0;
        merge(&views).iter().map(|one| (one.node.0, rounded(one.activation))).collect()
    }

    #[test]
    fn views_are_weighed_and_agreement_is_rewarded() {
        let found =
            merged([&[(0, 1.0), (1, 1.0)], &[(0, 1.0)], &[(0, 1.0), (1, 1.0)], &[(0, 1.0), (1, 1.0)]]);
        // All four: 1.0 x 1.5. Three: (0.35 + 0.15 + 0.25) x 1.3.
        assert_eq!(found, [(0, 1.5), (1, 0.975)]);
    }

    #[test]
    fn the_weight_of_a_silent_view_goes_to_the_others() {
        // 0.35 of 0.35 + 0.25.
        assert_eq!(merged([&[(0, 1.0)], &[(1, 1.0)], &[], &[]]), [(0, 0.583), (1, 0.417)]);
        assert_eq!(merged([&[], &[], &[], &[]]), []);
    }
}
