use super::*;

fn timeline(name: &str) -> (Timeline, PathBuf) {
    let file = std::env::temp_dir().join(format!("pmatrix-{}-{name}.json", std::process::id()));
    (Timeline::new(Some(&file), "a \"title\"".into()).unwrap(), file)
}

fn text(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    std::fs::remove_file(file).unwrap();
    text
}

fn noted(processor: Option<u32>, trace: u64) -> Noted {
    let site = Arc::new(Site { file: "dir\\a.m".into(), line: 7 });
    Noted {
        processor,
        is_ppe: false,
        trace,
        index: 0,
        shape: Shape { rows: 3, columns: 2 },
        block: (3, 1),
        site,
    }
}

const SHAPE: Shape = Shape { rows: 3, columns: 2 };

#[test]
fn a_log_that_is_off_notes_nothing_and_one_with_a_file_is_on() {
    let off = Timeline::new(None, "off".into()).unwrap();
    assert!(!off.is_on() && off.begin().is_none());
    off.stage(off.begin(), Stage::Force, 1, 1);
    off.counter(Counter::Queued, || panic!("nobody counts"));
    let (on, file) = timeline("on");
    assert!(on.is_on() && on.begin().is_some());
    assert!(text(&file).ends_with("\"traceEvents\":[\n\n]}\n"));
    let nowhere = Timeline::new(Some(Path::new("/nowhere/a.json")), String::new()).unwrap_err();
    assert!(nowhere.to_string().starts_with("/nowhere/a.json: "), "{nowhere}");
}

#[test]
fn sessions_with_one_file_share_it_and_a_flow_leads_to_what_ended_last() {
    let (first, file) = timeline("shared");
    let second = Timeline::new(Some(&file), "second".into()).unwrap();
    let span = |start_ns, end_ns| Span { start_ns, end_ns, ..Span::default() };
    let site = Arc::new(Site { file: "dir\\a.m".into(), line: 7 });
    let steps = [(OpKind::Multiply, &site), (OpKind::Add, &site)];
    for (timeline, end_ns) in [(&first, 3000), (&first, 9000), (&second, 20_000)] {
        timeline.executed(span(1500, end_ns), noted(Some(0), 4), steps.into_iter());
    }
    // The clock begins with its first reading, which may be the next.
    while now_ns() < 1000 {}
    first.stage(Some(1000), Stage::Force, 4, 1);
    first.stage(Some(1000), Stage::Force, 5, 1);
    first.save().unwrap();
    let text = text(&file);
    assert_eq!(text.matches("\"name\":\"multiply, add\"").count(), 3, "{text}");
    assert!(
        text.contains("\"name\":\"a \\\"title\\\"\"") && text.contains("\"file\":\"dir\\\\a.m\",\"line\":7")
    );
    assert!(text.contains("\"ts\":1.500,\"dur\":7.500,\"cat\":\"block operation\""));
    // One of the two forces has a trace with block operations.
    assert_eq!((text.matches("\"ph\":\"s\"").count(), text.matches("\"ph\":\"f\"").count()), (1, 1));
    let totals = first.log().totals();
    assert_eq!(
        totals.iter().map(|total| (total.kind, total.counts)).collect::<Vec<_>>(),
        [(OpKind::Multiply, [0, 0, 0, 3]), (OpKind::Add, [0, 0, 0, 3]),]
    );
    assert_eq!(totals[0].ns, (1500 + 7500 + 18_500) / 2);
}

#[test]
fn stages_lie_inside_of_their_operation() {
    let (timeline, file) = timeline("stages");
    let site = Arc::default();
    let span = Span { start_ns: 1000, end_ns: 2000, stages_ns: Some([5000, 300, 100]), ..Span::default() };
    timeline.executed(span, noted(Some(1), 1), [(OpKind::Sin, &site)].into_iter());
    timeline.save().unwrap();
    let text = text(&file);
    for (name, at) in [
        ("fetch", "1.000,\"dur\":0.600"),
        ("execute", "1.600,\"dur\":0.300"),
        ("write back", "1.900,\"dur\":0.100"),
    ] {
        assert!(
            text.contains(&format!("\"ts\":{at},\"cat\":\"stage of an MEU\",\"name\":\"{name}\"")),
            "{text}"
        );
    }
}

#[test]
fn a_full_log_counts_what_it_does_not_keep_and_can_be_cleared() {
    let (timeline, file) = timeline("full");
    for _ in 0..MOST_EVENTS + 10 {
        timeline.stated(0, OpKind::Add, SHAPE, true, ("a.m", 1));
    }
    assert_eq!(timeline.log().dropped(), 10);
    assert_eq!(timeline.log().totals()[0].counts, [0, MOST_EVENTS + 10, 0, 0]);
    timeline.save().unwrap();
    let full = text(&file);
    assert!(full.contains("\"dropped events\":10"));
    assert_eq!(full.matches("\"name\":\"add\"").count() as u64, MOST_EVENTS);
    timeline.log().clear();
    assert_eq!((timeline.log().dropped(), timeline.log().totals()), (0, Vec::new()));
    timeline.save().unwrap();
    assert_eq!(text(&file).matches("\"name\":\"add\"").count(), 0);
}

#[test]
fn a_picture_has_a_row_a_track_and_narrow_bars_are_drawn_as_one() {
    let (timeline, file) = timeline("picture");
    let site = Arc::new(Site { file: "a<b>.m".into(), line: 2 });
    for number in 0..1000 {
        let start_ns = 10 * number;
        let span = Span { start_ns, end_ns: start_ns + 10, ..Span::default() };
        timeline.executed(span, noted(Some(number as u32 % 2), 1), [(OpKind::Multiply, &site)].into_iter());
    }
    timeline.stage(Some(0), Stage::Force, 1, 1);
    let picture = file.with_extension("svg");
    timeline.log().save(&picture).unwrap();
    std::fs::remove_file(file).unwrap();
    let text = text(&picture);
    assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    for name in ["program", "MEU 0", "MEU 1"] {
        assert!(text.contains(&format!(">{name}</text>")) || name == "program", "{name}");
    }
    assert_eq!(text.matches("class=\"pm-force\" x").count(), 2, "the bar and its meaning");
    assert!(text.contains(" and ") && text.matches("<rect").count() < 1000);
    assert!(!text.contains("a<b>") && text.contains("dir\\a.m:7"));
}
