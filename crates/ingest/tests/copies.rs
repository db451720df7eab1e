//! The same project laid out twice: each copy has the edges of a single one, and none leads into the other.

mod projects;

use std::collections::BTreeMap;

use m1nd_graph::Graph;
use m1nd_ingest::{Ingest, Listed};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::ManualClock;
use projects::PROJECTS;

#[derive(Clone, Debug, Default)]
struct Disk {
    files: BTreeMap<String, (String, i128)>,
    now: i128,
}

impl Disk {
    fn write(&mut self, path: String, text: &str) {
        self.now += 5_000_000_000;
        self.files.insert(path, (text.to_owned(), self.now));
    }

    fn lay_out(&mut self, folder: &str, project: &str) {
        for (path, text) in files(project) {
            self.write(format!("{folder}{path}"), &text);
        }
    }

    fn refresh(&self, ingest: &mut Ingest, last: Option<&Graph>) -> Option<Graph> {
        let list = self.files.iter().map(|(path, (text, time))| Listed {
            path: path.clone(),
            size: text.len() as u64,
            modified_ns: *time,
        });
        let list: Vec<Listed> = list.collect();
        let read = |path: &str| Ok(self.files[path].0.as_bytes().to_vec());
        let (clock, cancel) = (ManualClock::default(), CancelToken::new());
        let later = self.now + 10_000_000_000;
        ingest.refresh_on(last, &list, read, &clock, later, &cancel).expect("nobody stops it").graph
    }

    fn graph(&self) -> Graph {
        self.refresh(&mut Ingest::new("twice"), None).expect("a first generation")
    }
}

fn files(project: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in project.lines() {
        if let Some(path) = line.strip_prefix("//- ") {
            files.push((path.to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    files
}

/// Every relation between files or what they define, one a line.
fn relations(graph: &Graph) -> Vec<String> {
    let is_code = |path: &str| !path.is_empty();
    let edges = graph.edges().filter(|edge| {
        let (source, target) = (graph.node(edge.source), graph.node(edge.target));
        edge.kind.name() != "contains" && is_code(source.path()) && is_code(target.path())
    });
    let lines = edges.map(|edge| {
        let (source, target) = (graph.node(edge.source).id(), graph.node(edge.target).id());
        format!("{source} {} {target} {:?} {:?}", edge.kind.name(), edge.evidence, edge.lines)
    });
    lines.collect()
}

/// The relations of one copy, as a single one has them.
fn of_copy(all: &[String], folder: &str, other: &str) -> (Vec<String>, Vec<String>) {
    let mark = |folder: &str| format!("::{folder}");
    let is_in = |line: &&String, folder: &str| !folder.is_empty() && line.contains(&mark(folder));
    let crosses = all.iter().filter(|line| {
        let ends: Vec<&str> = line.split(' ').filter(|word| word.contains("::")).collect();
        let inside = |end: &str, folder: &str| end.contains(&mark(folder));
        let of = |end: &str| match (folder, other) {
            ("", other) => u8::from(inside(end, other)),
            (folder, other) => match (inside(end, folder), inside(end, other)) {
                (true, _) => 0,
                (_, true) => 1,
                _ => 2,
            },
        };
        of(ends[0]) != of(ends[1])
    });
    let own = all.iter().filter(|line| match folder {
        "" => !is_in(line, other),
        folder => is_in(line, folder),
    });
    let mut own: Vec<String> = own.map(|line| line.replace(&mark(folder), "::")).collect();
    own.sort();
    (own, crosses.cloned().collect())
}

/// What is wrong with a project that is laid out twice, if anything is.
fn check(name: &str, project: &str, folders: [&str; 2]) -> Result<(), String> {
    let mut single = Disk::default();
    single.lay_out("", project);
    let mut wanted = relations(&single.graph());
    wanted.sort();
    assert!(wanted.iter().any(|line| line.contains(" calls ")), "{name} has calls");
    let mut twice = Disk::default();
    folders.iter().for_each(|folder| twice.lay_out(folder, project));
    let all = relations(&twice.graph());
    for (folder, other) in [(folders[0], folders[1]), (folders[1], folders[0])] {
        let (own, crosses) = of_copy(&all, folder, other);
        if let Some(line) = crosses.first() {
            return Err(format!("{name} in {folders:?}: an edge leads from one copy to the other: {line}"));
        }
        let differs =
            |one: &[String], other: &[String]| one.iter().find(|line| !other.contains(line)).cloned();
        if let Some(line) = differs(&wanted, &own) {
            return Err(format!("{name} in {folders:?}: the copy in {folder:?} lacks {line}"));
        }
        if let Some(line) = differs(&own, &wanted) {
            return Err(format!("{name} in {folders:?}: the copy in {folder:?} has too much: {line}"));
        }
    }
    Ok(())
}

#[test]
fn each_copy_has_the_edges_of_a_single_one() {
    let layouts = [
        ["x/", "y/"],
        ["", "other::/"],
        ["one::/", "two::/"],
        ["", "examples/old/"],
        ["", "aaa/"],
        ["", "bak/of/it/"],
    ];
    let all = PROJECTS.iter().flat_map(|(name, project)| {
        layouts.iter().filter_map(|folders| check(name, project, *folders).err())
    });
    let wrong: Vec<String> = all.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A graph that is kept fresh, and whether it is the one that a fresh ingest gives.
struct Kept {
    ingest: Ingest,
    last: Graph,
}

impl Kept {
    fn of(disk: &Disk) -> Self {
        let mut ingest = Ingest::new("twice");
        let last = disk.refresh(&mut ingest, None).expect("a first generation");
        Self { ingest, last }
    }

    fn check(&mut self, disk: &Disk, what: &str) {
        if let Some(next) = disk.refresh(&mut self.ingest, Some(&self.last)) {
            self.last = next;
        }
        let fresh = disk.graph();
        let (kept, wanted) = (relations(&self.last), relations(&fresh));
        let wrong = kept.iter().filter(|line| !wanted.contains(line)).map(|line| format!("too much: {line}"));
        let lacking =
            wanted.iter().filter(|line| !kept.contains(line)).map(|line| format!("lacking: {line}"));
        let wrong: Vec<String> = wrong.chain(lacking).collect();
        assert!(self.last == fresh, "{what}: {}", wrong.join("\n"));
    }
}

/// A second copy that comes file by file, and a first one that goes, give what a fresh ingest gives.
#[test]
fn a_copy_that_comes_or_goes_is_followed() {
    for (name, project) in PROJECTS {
        let mut disk = Disk::default();
        disk.lay_out("x/", project);
        let mut kept = Kept::of(&disk);
        for (path, text) in files(project) {
            disk.write(format!("y/{path}"), &text);
            kept.check(&disk, &format!("{name}: y/{path} came"));
        }
        for (path, _) in files(project) {
            disk.files.remove(&format!("x/{path}"));
            kept.check(&disk, &format!("{name}: x/{path} went"));
        }
    }
}

/// What one copy no longer says may be found in the other, until it says it again.
#[test]
fn a_line_that_goes_from_one_copy_is_followed() {
    for (name, project) in PROJECTS {
        let mut disk = Disk::default();
        disk.lay_out("x/", project);
        disk.lay_out("y/", project);
        let mut kept = Kept::of(&disk);
        for (path, text) in files(project) {
            for at in 0..text.lines().count() {
                let fewer: Vec<&str> =
                    text.lines().enumerate().filter(|(n, _)| *n != at).map(|(_, line)| line).collect();
                disk.write(format!("y/{path}"), &(fewer.join("\n") + "\n"));
                kept.check(&disk, &format!("{name}: y/{path} without line {}", at + 1));
            }
            disk.write(format!("y/{path}"), &text);
            kept.check(&disk, &format!("{name}: y/{path} is whole again"));
        }
    }
}
