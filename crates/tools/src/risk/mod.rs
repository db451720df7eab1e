//! Risk: where trouble is likely, by measures that can be checked by hand.

mod antibody_create;
mod antibody_list;
mod antibody_scan;
mod epidemic;
mod flow_simulate;
mod heuristics_surface;
mod layer_inspect;
mod layers;
mod panoramic;
mod refactor_plan;
mod scan;
mod scan_all;
mod taint_trace;
mod tremor;
mod trust;
mod type_trace;

use m1nd_runtime::{Entry, entry};

pub const TOOLS: &[Entry] = &[
    entry::<panoramic::Panoramic>(),
    entry::<trust::Trust>(),
    entry::<tremor::Tremor>(),
    entry::<layers::LayersTool>(),
    entry::<layer_inspect::LayerInspect>(),
    entry::<antibody_create::AntibodyCreate>(),
    entry::<antibody_list::AntibodyList>(),
    entry::<antibody_scan::AntibodyScan>(),
    entry::<epidemic::Epidemic>(),
    entry::<heuristics_surface::HeuristicsSurface>(),
    entry::<flow_simulate::FlowSimulate>(),
    entry::<taint_trace::TaintTrace>(),
    entry::<scan::Scan>(),
    entry::<scan_all::ScanAll>(),
    entry::<refactor_plan::RefactorPlan>(),
    entry::<type_trace::TypeTrace>(),
];
