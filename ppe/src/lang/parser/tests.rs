use super::super::ast::Step;
use super::*;
use proptest::prelude::*;

fn error(source: &str) -> String {
    parse(source.as_bytes(), "t").unwrap_err().to_string()
}

/// The expression in postfix order, in few characters.
fn postfix(source: &str) -> String {
    let program = parse(source.as_bytes(), "t").unwrap();
    let Some(Statement { action: Action::Evaluate { expression, .. }, .. }) = program.statements.last()
    else {
        panic!("{source}")
    };
    let words = expression.iter().map(|(step, _)| match step {
        Step::Number(value) => value.to_string(),
        Step::Text(text) => format!("{text:?}"),
        Step::Name(name) => name.clone(),
        Step::Matrix(m) => format!("{}x{}{:?}", m.rows, m.columns, m.elements),
        Step::Not => "not".into(),
        Step::Negate => "neg".into(),
        Step::Operator(operator) => format!("{operator:?}").to_lowercase(),
        Step::Call(function, count) => format!("{}/{count}", function.name),
        Step::Subject(count) => format!("of/{count}"),
        Step::All => ":".into(),
        Step::Range { step } => if *step { "range/3" } else { "range/2" }.into(),
        Step::End(number) => format!("end{number}"),
        Step::Index { name, count } => format!("{name}({count})"),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn precedence_is_octaves() {
    let check = |source: &str, expected: &str| assert_eq!(postfix(source), expected, "{source}");
    check("a + b * c == d - 1;", "a b c multiply add d 1 subtract equal");
    check("a - b - c;", "a b subtract c subtract");
    check("-a .^ b;", "a b power neg");
    check("-a' .^ b.' * c;", "a transpose/1 b power transpose/1 neg c multiply");
    check("a .^ -b .^ c;", "a b neg power c power");
    check("-a * b;", "a neg b multiply");
    check("a .* -b;", "a b neg times");
    check("(a + b) ./ c / 2;", "a b add c divide 2 over");
    check("a ~= b != c;", "a b notequal c notequal");
    check("a | b & c < d + 1;", "a b c d 1 add less and or");
    check("a >= b > c <= d;", "a b greaterequal c greater d lessequal");
    check("!a .^ 2 == ~ b;", "a 2 power not b not equal");
    check("a .^ !b;", "a b not power");
    check("MADD(a, mod(b, 2));", "a b 2 mod/2 MADD/2");
    check("+a - +b;", "a b subtract");
}

#[test]
fn subscripts_belong_to_variables_and_other_values() {
    let check = |source: &str, expected: &str| {
        assert_eq!(postfix(&format!("a = 1; b = 2; {source}")), expected, "{source}")
    };
    check("a(1, 2);", "a of/2 1 2 a(2)");
    check("-a(:, end)' * b;", "a of/2 : end1 a(2) transpose/1 neg b multiply");
    check("a(1 + 1:2:end - 1);", "a of/1 1 1 add 2 end0 1 subtract range/3 a(1)");
    check("a(b(end), end)(2);", "a of/2 b of/1 end0 b(1) end1 a(2) of/1 2 (1)");
    check("(a + b)(:);", "a b add of/1 : (1)");
    check("a'(1);", "a transpose/1 of/1 1 (1)");
    check("a .^ b(1) .^ 2;", "a b of/1 1 b(1) power 2 power");
    check("abs(a)(abs(end));", "a abs/1 of/1 end0 abs/1 (1)");
    check("a();", "a of/0 a(0)");
}

#[test]
fn blanks_commas_and_lines_separate_elements() {
    let check = |source: &str, expected: &str| assert_eq!(postfix(source), expected, "{source}");
    check("[1 -2];", "1x2[1.0, -2.0]");
    check("[1, - 2];".replace("- 2", "-2").as_str(), "1x2[1.0, -2.0]");
    check("[1,2;\n 3 4\n];", "2x2[1.0, 2.0, 3.0, 4.0]");
    check("[ # comment\n 1 2, % another\n 3 4, ];", "2x2[1.0, 2.0, 3.0, 4.0]");
    check("[1 2 ...\n 3];", "1x3[1.0, 2.0, 3.0]");
    check("[];", "0x0[]");
    check("abs([1\n 2]);", "2x1[1.0, 2.0] abs/1");
    check("[NaN -Inf];", "1x2[NaN, -inf]");
}

#[test]
fn errors_name_line_and_column() {
    let check = |source: &str, expected: &str| assert_eq!(error(source), expected, "{source}");
    check("A = [1, 2; 3];", "t:1:12: row 2 has 1 elements; the rows before it have 2");
    check("A = [1, 2", "t:1:5: this '[' has no closing ']'");
    check("A = [1 - 2];", "t:1:8: a matrix literal takes numbers, not expressions");
    check("A = [1-2];", "t:1:7: ',', a blank, ';' or ']' is needed here, not '-'");
    check("A = [1, x];", "t:1:9: a number is needed here, not 'x'");
    check("A = ;", "t:1:5: a value is needed here, not ';'");
    check("A = (1 + 2;", "t:1:11: ')' is needed here, not ';'; the '(' at 1:5 is still open");
    check("A = (1 + 2", "t:1:5: this '(' has no closing ')'");
    check("A = abs(1 +\nB = 2", "t:2:3: ',' or ')' is needed here, not '='; the '(' at 1:8 is still open");
    check("A = [1, 2\nB = 2", "t:2:1: a number is needed here, not 'B'; the '[' at 1:5 is still open");
    check(
        "A = [1 2);",
        "t:1:9: ',', a blank, ';' or ']' is needed here, not ')'; the '[' at 1:5 is still open",
    );
    check(
        "A = (1 + [2 3);",
        "t:1:14: ',', a blank, ';' or ']' is needed here, not ')'; the '[' at 1:10 is still open",
    );
    check("A = 'text\nB = 2", "t:1:5: this text has no closing quote");
    check("A = 3)", "t:1:6: an operator or the end of the statement is needed here, not ')'");
    check("\n\n  B = foo(1);", "t:3:7: there is no function and no variable 'foo'");
    check("A = 1; A(1, :, 2", "t:1:9: this '(' has no closing ')'");
    check("A = 1; A(1) = 2", "t:1:13: only a whole variable can be assigned to, not elements of it");
    check("end = 1", "t:1:1: 'end' stands for the last element, in the subscripts of a variable");
    check("A = end", "t:1:5: 'end' stands for the last element, in the subscripts of a variable");
    check("A = 1:3", "t:1:6: 'range (first, last)' makes a row of numbers; ':' stands in subscripts only");
    check("MADD(A);", "t:1:1: MADD takes 2 arguments, not 1");
    check("A B", "t:1:3: an operator or the end of the statement is needed here, not 'B'");
    check("A ^ 2", "t:1:3: matrix powers are not available; '.^' works on elements");
    check("zeros = 3", "t:1:1: 'zeros' is a function; it cannot be a variable");
    check("save(\"a\")", "t:1:1: save takes 2 arguments: a file name and a value");
    check("x = print(A)", "t:1:5: print gives no value");
    check("x = abs", "t:1:5: 'abs' is a function: its arguments are missing");
    check("1 + 2 = 3", "t:1:7: only a whole variable can be assigned to, not elements of it");
    check("print(", "t:1:6: this '(' has no closing ')'");
}

#[test]
fn deep_nesting_is_an_error_and_long_chains_are_not() {
    for open in ["(", "-", "abs(", "1 + (", "a("] {
        let message = error(&format!("a = 1; x = {}", open.repeat(100_000)));
        assert!(message.ends_with("more than 200 levels within each other"), "{message}");
    }
    assert!(parse("(".repeat(150).as_bytes(), "t").is_err());
    let nested = format!("x = {}1{};", "(".repeat(150), ")".repeat(150));
    assert!(parse(nested.as_bytes(), "t").is_ok());
    let chain = format!("x = 1{};", " + 1".repeat(300_000));
    assert!(parse(chain.as_bytes(), "t").is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_bytes_make_it_panic(source in proptest::collection::vec(any::<u8>(), 0..200)) {
        _ = parse(&source, "t");
    }

    #[test]
    fn no_tokens_make_it_panic(
        words in proptest::collection::vec(
            proptest::sample::select(vec![
                "A", "=", "[", "]", "(", ")", ";", ",", "\n", " ", "1", ".5", "-", "+", ".^", "*", "MADD", "abs", "print", "save",
                "'", "\"", ":", "end", "...", "#", "==", "NaN", "1e", ".", "\u{e4}",
            ]),
            0..40,
        ),
    ) {
        _ = parse(words.concat().as_bytes(), "t");
    }
}
