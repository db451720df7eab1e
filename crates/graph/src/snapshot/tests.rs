//! A snapshot is the graph that was written, or an error; nothing else.

use super::*;
use crate::testing::{graph, parts};
use m1nd_stdx::float::FiniteF32;
use proptest::prelude::*;

#[test]
fn a_saved_graph_is_loaded_equal_and_the_one_before_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.snapshot");
    let first = graph("a calls b");
    first.weights().set(0, FiniteF32::new(2.0));
    save(&first, &path).unwrap();
    let second = graph("a calls b\nb calls c").with_generation(9);
    save(&second, &path).unwrap();
    let loaded = load(&path).unwrap();
    assert_eq!((loaded.generation(), &loaded), (9, &second));
    assert_eq!(load(&previous_path(&path)).unwrap(), first);
    let mut left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["graph.snapshot", "graph.snapshot.previous"]);
}

#[test]
fn a_loaded_graph_outlives_the_replacement_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.snapshot");
    let first = graph("a calls b");
    save(&first, &path).unwrap();
    let loaded = load(&path).unwrap();
    for _ in 0..3 {
        save(&graph("x calls y\ny calls z"), &path).unwrap();
    }
    assert_eq!(loaded, first);
}

#[test]
fn each_kind_of_damage_has_its_own_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.snapshot");
    let missing = load(&path).unwrap_err();
    assert!(matches!(missing, SnapshotError::Io { .. }) && !missing.is_corrupt());
    let good = to_bytes(&graph("a calls b"));
    let damage = |change: fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        std::fs::write(&path, bytes).unwrap();
        load(&path).unwrap_err().to_string()
    };
    assert_eq!(damage(|b| b.clear()), "the file ends before its contents do");
    assert_eq!(damage(|b| b.truncate(b.len() / 2)), "the file ends before its contents do");
    assert_eq!(damage(|b| b.fill(0)), "the file is not a graph snapshot");
    assert_eq!(damage(|b| b[8] = 77), "format version 77 is not 2");
    assert_eq!(damage(|b| b[12] ^= 1), "the file was written on a machine with another byte order");
    assert_eq!(
        damage(|b| *b.last_mut().unwrap() ^= 1),
        "the bytes of `weights` are not those that were written"
    );
}

#[test]
fn a_failed_save_leaves_the_old_snapshot_and_no_litter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.snapshot");
    save(&graph("a calls b"), &path).unwrap();
    // A folder stands where the previous snapshot would be kept, so that keeping it must fail.
    std::fs::create_dir(previous_path(&path)).unwrap();
    std::fs::write(previous_path(&path).join("x"), "").unwrap();
    assert!(save(&graph("b calls c"), &path).is_err());
    assert_eq!(load(&path).unwrap(), graph("a calls b"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

proptest! {
    #[test]
    fn any_graph_comes_back_equal(parts in parts()) {
        let graph = parts.build();
        let loaded = read(to_bytes(&graph)).unwrap();
        prop_assert_eq!(loaded.generation(), graph.generation());
        prop_assert_eq!(loaded, graph);
    }

    #[test]
    fn any_flipped_bit_is_an_error_or_changes_nothing(
        parts in parts(),
        at in any::<prop::sample::Index>(),
        bit in 0..8_u32,
    ) {
        let graph = parts.build();
        let mut bytes = to_bytes(&graph);
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        if let Ok(loaded) = read(bytes) {
            prop_assert_eq!(loaded, graph);
        }
    }

    #[test]
    fn any_cut_is_an_error(parts in parts(), at in any::<prop::sample::Index>()) {
        let mut bytes = to_bytes(&parts.build());
        bytes.truncate(at.index(bytes.len()));
        prop_assert!(read(bytes).is_err());
    }

    #[test]
    fn scrambled_columns_with_true_checksums_never_panic(
        parts in parts(),
        noise in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut bytes = to_bytes(&parts.build());
        for (at, byte) in noise {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(graph) = read(super::forge::reseal(bytes)) {
            for node in graph.nodes() {
                prop_assert!(node.id().len() + node.tags().count() < 10_000);
                prop_assert!(graph.outgoing(node.ix()).len() + graph.incoming(node.ix()).len() < 10_000);
            }
        }
    }
}
