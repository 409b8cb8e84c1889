//! `--profile`: the timeline is true, and other programs can read it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;

use crate::{command, file, run};

const PROGRAM: &str =
    "A = rand(300, 300, 1)\nB = A * A + 1\nC = sin(B) .* A\nprint(sum(sum(C)))\nD = C * B\nprint(D(1, 1))\n";

/// Where an event is shown.
type Track = (u64, u64);

fn events(path: &PathBuf) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let parsed: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(parsed["otherData"]["dropped events"], 0);
    parsed["traceEvents"].as_array().unwrap().clone()
}

fn track(event: &Value) -> Track {
    (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap())
}

/// Beginning and end in whole nanoseconds.
fn times(event: &Value) -> (u64, u64) {
    let nanoseconds = |field: &str| (event[field].as_f64().unwrap() * 1000.0).round() as u64;
    (nanoseconds("ts"), nanoseconds("ts") + nanoseconds("dur"))
}

fn slices(events: &[Value]) -> impl Iterator<Item = &Value> {
    events.iter().filter(|event| event["ph"] == "X")
}

/// Slices of a track follow each other or lie within each other.
fn check_nesting(events: &[Value]) {
    let mut tracks: BTreeMap<Track, Vec<&Value>> = BTreeMap::new();
    slices(events).for_each(|slice| tracks.entry(track(slice)).or_default().push(slice));
    for slices in tracks.values_mut() {
        slices.sort_by_key(|slice| (times(slice).0, u64::MAX - times(slice).1));
        let mut open: Vec<&Value> = Vec::new();
        for slice in slices {
            open.retain(|outer| times(outer).1 > times(slice).0);
            let fits = open.last().is_none_or(|outer| times(outer).1 >= times(slice).1);
            assert!(fits, "{slice} overlaps {}", open.last().unwrap());
            open.push(slice);
        }
    }
}

/// Every arrow begins in a force and ends in a block operation.
fn check_flows(events: &[Value]) -> usize {
    let lies_in = |flow: &Value, category: &str, name: &str| {
        let at = (flow["ts"].as_f64().unwrap() * 1000.0).round() as u64;
        slices(events).any(|slice| {
            let (start, end) = times(slice);
            let is_named = name.is_empty() || slice["name"] == name;
            track(slice) == track(flow) && slice["cat"] == category && is_named && (start..=end).contains(&at)
        })
    };
    let ends = |phase: &str| events.iter().filter(|event| event["ph"] == phase).collect::<Vec<_>>();
    let (starts, finishes) = (ends("s"), ends("f"));
    assert_eq!(starts.len(), finishes.len());
    for (start, finish) in starts.iter().zip(&finishes) {
        assert_eq!(start["id"], finish["id"]);
        assert!(lies_in(start, "stage", "force"), "{start}");
        assert!(lies_in(finish, "block operation", ""), "{finish}");
    }
    starts.len()
}

/// Runs a program with these options; its events, and the block operations that `--stats` counts.
fn profiled(name: &str, options: &[&str]) -> (Vec<Value>, usize) {
    let path = file(&format!("{name}.json"), b"");
    let profile = format!("--profile={}", path.display());
    let options = [options, &["--stats", "--meus", "2", &profile]].concat();
    let (code, _, stats) = run(&format!("{name}.trace"), PROGRAM, &options);
    assert_eq!(code, 0, "{stats}");
    let counted = stats.split(" block operations").next().unwrap().rsplit(' ').next().unwrap();
    (events(&path), counted.parse().unwrap())
}

#[test]
fn each_block_operation_is_there_once_and_tracks_do_not_overlap() {
    let engines: [(&str, &[&str], &[&str]); 5] = [
        ("timeline_at_once", &[], &["program"]),
        (
            "timeline_threads",
            &["--no-immediate"],
            &["program", "lower", "schedule", "execute", "MEU 0", "MEU 1"],
        ),
        ("timeline_alone", &["--no-immediate", "--no-overlap"], &["program", "MEU 0", "MEU 1"]),
        ("timeline_stores", &["--no-immediate", "--local-store"], &["execute", "MEU 0", "MEU 1"]),
        (
            "timeline_ppe",
            &["--no-immediate", "--meu-kinds", "multiply,add,times,divide,sin"],
            &["MEU 1", "PPE"],
        ),
    ];
    for (name, options, tracks) in engines {
        let (events, counted) = profiled(name, options);
        let operations: Vec<_> = slices(&events).filter(|slice| slice["cat"] == "block operation").collect();
        let distinct: BTreeSet<_> = operations
            .iter()
            .map(|o| (o["args"]["trace"].as_u64(), o["args"]["operation"].as_u64()))
            .collect();
        assert_eq!((operations.len(), distinct.len()), (counted, counted), "{name}");
        assert!(counted > 0);
        let names = events.iter().filter(|event| event["name"] == "thread_name");
        let names: BTreeSet<_> = names.map(|event| event["args"]["name"].as_str().unwrap()).collect();
        assert!(tracks.iter().all(|track| names.contains(track)), "{name}: {names:?}");
        check_nesting(&events);
        assert!(check_flows(&events) > 0, "{name}");
        for operation in operations {
            let args = &operation["args"];
            let path = args["file"].as_str().unwrap();
            assert!(path.ends_with(&format!("{name}.trace")), "{path}");
            assert!((1..=6).contains(&args["line"].as_u64().unwrap()) && args["result"].is_string());
        }
        let has = |name: &str| slices(&events).any(|slice| slice["name"] == name);
        assert!(["force", "lower", "execute", "sin"].into_iter().all(has), "{name}");
        assert_eq!(has("schedule"), name != "timeline_at_once", "{name}");
        let stores = ["timeline_stores", "timeline_ppe"].contains(&name);
        assert_eq!(has("fetch") || has("write back"), stores, "{name}");
        let counters: BTreeSet<_> = events
            .iter()
            .filter(|event| event["ph"] == "C")
            .map(|event| event["name"].as_str().unwrap())
            .collect();
        assert!(counters.contains("pinned") && counters.contains("pool"), "{name}: {counters:?}");
        assert_eq!(counters.contains("queue depth"), name != "timeline_at_once", "{name}");
    }
}

#[test]
fn simulated_spes_show_their_stages_in_virtual_time() {
    if spe_kernels_have_images() {
        check_virtual_time("sim", &["--engine", "sim", "--timing"]);
    }
}

#[test]
fn the_virtual_clock_shows_stages_in_its_time() {
    check_virtual_time("clock", &["--engine", "clock"]);
}

/// Runs the program twice on an engine in virtual time.
fn check_virtual_time(engine: &str, options: &[&str]) {
    let shown = |again: &str| profiled(&format!("timeline_{engine}{again}"), options).0;
    let [first, second] = ["", "_again"].map(shown);
    let title = format!("pmatrix, engine {engine}, 2 MEUs");
    for events in [&first, &second] {
        check_nesting(events);
        let titles = events.iter().filter(|event| event["name"] == "process_name");
        let titles: Vec<_> = titles.map(|event| event["args"]["name"].as_str().unwrap()).collect();
        assert_eq!(titles, [title.clone(), format!("{title}: virtual time")]);
        assert!(slices(events).any(|slice| slice["name"] == "write back"));
    }
    // Virtual time does not depend on this machine.
    let of_meus = |events: &[Value]| -> Vec<_> {
        let of_meus = slices(events).filter(|slice| track(slice).0 > 1 << 16);
        of_meus.map(|slice| (track(slice), times(slice))).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let (first, second) = (of_meus(&first), of_meus(&second));
    assert!(!first.is_empty() && first == second);
}

/// Without a compiler for SPEs there are no images of the MEU to simulate.
fn spe_kernels_have_images() -> bool {
    let (code, _, error) = run("timeline_images.trace", "x = 1\n", &["--engine", "sim"]);
    if code != 0 {
        assert!(std::env::var("REQUIRE_ALL").as_deref() != Ok("1"), "{error}");
        println!("skipped: {error}");
    }
    code == 0
}

#[test]
fn what_is_computed_instead_of_being_recorded_is_shown_as_that() {
    let path = file("timeline_stated.json", b"");
    let program = "a = rand(9, 9, 1)\nb = a + 1\nprint(sum(b))\n";
    let options = [&format!("--profile={}", path.display())[..]];
    assert_eq!(run("timeline_stated.trace", program, &options).0, 0);
    let events = events(&path);
    let stated: Vec<_> =
        slices(&events).filter(|slice| slice["cat"] == "operation computed at once").collect();
    let shown: Vec<_> =
        stated.iter().map(|slice| (slice["name"].as_str(), slice["args"]["line"].as_u64())).collect();
    assert_eq!(shown, [(Some("add"), Some(2)), (Some("sum"), Some(3))]);
}

#[test]
fn what_is_measured_for_a_model_and_saved_as_a_trace_has_a_timeline_too() {
    let (path, model) = (file("timeline_profile.json", b""), file("timeline_profile.model", b""));
    let profile = |path: &PathBuf| format!("--profile={}", path.display());
    let mut measure = command();
    measure.args(["profile", "--kinds", "add,multiply", "--output"]).arg(&model).arg(profile(&path));
    assert!(measure.output().unwrap().status.success());
    let events = events(&path);
    check_nesting(&events);
    let has = |name: &str| slices(&events).filter(|slice| slice["name"] == name).count();
    // Operations alone have stages; streams of products have none.
    assert!(has("add") > 1000 && has("multiply") > 1000 && has("execute") > 1000);
    let places: BTreeSet<_> = slices(&events).filter_map(|slice| slice["args"]["file"].as_str()).collect();
    assert!(places.iter().any(|place| place.starts_with("stream of ")), "{places:?}");
    assert!(places.iter().any(|place| place.ends_with(", Single")), "{places:?}");

    let program = file("timeline_saved.trace", PROGRAM.as_bytes());
    let (path, saved) = (file("timeline_saved.json", b""), file("timeline_saved.saved", b""));
    let output = command().arg("save-trace").arg(program).arg(saved).arg(profile(&path)).output().unwrap();
    assert!(output.status.success());
    assert!(slices(&self::events(&path)).any(|slice| slice["cat"] == "record"));
}

#[test]
fn the_variable_does_what_the_option_does_and_a_bad_file_is_named() {
    let path = file("timeline_variable.json", b"");
    let program = file("timeline_variable.trace", PROGRAM.as_bytes());
    let output = command().arg("run").arg(&program).env("PMATRIX_PROFILE", &path).output().unwrap();
    assert!(output.status.success());
    assert!(!events(&path).is_empty());
    for bad in ["/nowhere/at/all.json", "/"] {
        let (code, shown, error) = run("timeline_bad.trace", PROGRAM, &["--profile", bad]);
        assert_eq!((code, shown.as_str()), (3, ""), "{error}");
        assert!(error.contains(bad), "{error}");
    }
}
