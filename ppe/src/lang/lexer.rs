//! From characters to tokens.
//!
//! The one subtle point is Octave's: within brackets blanks separate elements, so each token knows whether a
//! blank came before it.  Newlines are tokens, except after `...` and within parentheses.

use super::error::Position;

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Lexeme {
    /// A name.
    Name(String),
    /// A number, without a sign.
    Number(f64),
    /// Text in quotes.
    Text(String),
    /// An operator or a separator.
    Mark(&'static str),
    /// The end of a line.
    Newline,
    /// The end of the program.
    End,
}

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    /// What it is.
    pub(super) lexeme: Lexeme,
    /// Its first character.
    pub(super) position: Position,
    /// A blank or a comment comes before it.
    pub(super) after_blank: bool,
}

/// A place and what is wrong there.
pub(super) type SyntaxError = (Position, String);

/// Longer ones first: the first that fits is taken.
const MARKS: [&str; 27] = [
    "==", "!=", "~=", "<=", ">=", ".*", "./", ".^", "<", ">", "&", "|", "!", "~", "+", "-", "*", "/", "^",
    "(", ")", "[", "]", ",", ";", "=", ":",
];

struct Lexer<'s> {
    rest: &'s str,
    position: Position,
    tokens: Vec<Token>,
    /// Brackets and parentheses that are open.
    open: Vec<&'static str>,
}

/// The tokens of a program, the last of which is [`Lexeme::End`].
///
/// # Errors
/// The first character that cannot be part of a program.
pub(super) fn tokens(source: &[u8]) -> Result<Vec<Token>, SyntaxError> {
    let text = match std::str::from_utf8(source) {
        Ok(text) => text,
        Err(error) => {
            let good = std::str::from_utf8(&source[..error.valid_up_to()]).unwrap_or_default();
            let mut position = Position { line: 1, column: 1 };
            good.chars().for_each(|c| advance(&mut position, c));
            return Err((position, "this is not text (UTF-8)".into()));
        }
    };
    let start = Position { line: 1, column: 1 };
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lexer = Lexer { rest, position: start, tokens: Vec::new(), open: Vec::new() };
    lexer.run()?;
    Ok(lexer.tokens)
}

fn advance(position: &mut Position, character: char) {
    if character == '\n' {
        position.line = position.line.saturating_add(1);
        position.column = 1;
    } else {
        position.column = position.column.saturating_add(1);
    }
}

impl Lexer<'_> {
    /// Takes so many bytes, which end at a character's border.
    fn take(&mut self, bytes: usize) -> &str {
        let (taken, rest) = self.rest.split_at(bytes);
        taken.chars().for_each(|c| advance(&mut self.position, c));
        self.rest = rest;
        taken
    }

    fn run(&mut self) -> Result<(), SyntaxError> {
        loop {
            let after_blank = self.skip_blanks()?;
            let position = self.position;
            let lexeme = match self.rest.chars().next() {
                None => Lexeme::End,
                Some('\n') => {
                    self.take(1);
                    if self.open.last() == Some(&"(") {
                        continue;
                    }
                    Lexeme::Newline
                }
                Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                    let length = self.length_while(|c| c.is_ascii_alphanumeric() || c == '_');
                    Lexeme::Name(self.take(length).to_owned())
                }
                Some(c) if c.is_ascii_digit() => self.number()?,
                Some('.') if self.rest[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number()?,
                Some('"') => self.text('"')?,
                Some('\'') if self.is_transposition(after_blank) => {
                    self.take(1);
                    Lexeme::Mark("'")
                }
                Some('\'') => self.text('\'')?,
                Some(c) => self.mark(c)?,
            };
            let end = lexeme == Lexeme::End;
            self.tokens.push(Token { lexeme, position, after_blank });
            if end {
                return Ok(());
            }
        }
    }

    fn length_while(&self, mut belongs: impl FnMut(char) -> bool) -> usize {
        self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len())
    }

    /// Skips blanks, comments, and `...` with the rest of its line.
    fn skip_blanks(&mut self) -> Result<bool, SyntaxError> {
        let mut skipped = false;
        loop {
            let blanks = self.length_while(|c| matches!(c, ' ' | '\t' | '\r'));
            self.take(blanks);
            skipped |= blanks > 0;
            if self.rest.starts_with(['#', '%']) {
                let length = self.length_while(|c| c != '\n');
                self.take(length);
                skipped = true;
            } else if self.rest.starts_with("...") {
                let position = self.position;
                self.take(3);
                let length = self.length_while(|c| c != '\n');
                let rest = self.take(length).trim();
                if !(rest.is_empty() || rest.starts_with(['#', '%'])) {
                    return Err((position, "'...' must end its line".into()));
                }
                if !self.rest.is_empty() {
                    self.take(1);
                }
                skipped = true;
            } else {
                return Ok(skipped);
            }
        }
    }

    fn number(&mut self) -> Result<Lexeme, SyntaxError> {
        let position = self.position;
        let bytes = self.rest.as_bytes();
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let mut end = digits(0);
        // In `1.*A` the point belongs to the operator.
        let operator = matches!(bytes.get(end + 1), Some(b'*' | b'/' | b'^'));
        if bytes.get(end) == Some(&b'.') && !operator && !self.rest[end..].starts_with("...") {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E' | b'd' | b'D')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            if exponent > end + 1 + sign {
                end = exponent;
            }
        }
        let text = self.take(end).replace(['d', 'D'], "e");
        let value = text.parse().map_err(|_| (position, format!("'{text}' is not a number")))?;
        if self.rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            let length = self.length_while(|c| c.is_ascii_alphanumeric() || c == '_');
            let tail = &self.rest[..length];
            let what = match tail {
                "i" | "j" | "I" | "J" => "complex numbers are not available".to_owned(),
                _ => format!("'{text}{tail}' is neither a number nor a name"),
            };
            return Err((position, what));
        }
        Ok(Lexeme::Number(value))
    }

    /// After a value and without a blank, a quote would transpose.
    fn is_transposition(&self, after_blank: bool) -> bool {
        !after_blank
            && self.tokens.last().is_some_and(|token| match &token.lexeme {
                Lexeme::Name(_) | Lexeme::Number(_) | Lexeme::Text(_) => true,
                Lexeme::Mark(mark) => matches!(*mark, ")" | "]" | "'"),
                Lexeme::Newline | Lexeme::End => false,
            })
    }

    /// Text in quotes; two quotes stand for one, and within `"` a backslash takes away the meaning of the
    /// next character.
    fn text(&mut self, quote: char) -> Result<Lexeme, SyntaxError> {
        let start = self.position;
        let mut text = String::new();
        let mut characters = self.rest[1..].char_indices().peekable();
        let end = loop {
            match characters.next() {
                None | Some((_, '\n')) => return Err((start, "this text has no closing quote".into())),
                Some((at, c)) if c == quote => {
                    if characters.next_if(|&(_, next)| next == quote).is_none() {
                        break at;
                    }
                    text.push(quote);
                }
                Some((_, '\\')) if quote == '"' => match characters.next() {
                    Some((_, c @ ('\\' | '"'))) => text.push(c),
                    _ => return Err((start, "in this text, '\\' must be followed by '\\' or '\"'".into())),
                },
                Some((_, c)) => text.push(c),
            }
        };
        self.take(end + 2);
        Ok(Lexeme::Text(text))
    }

    fn mark(&mut self, character: char) -> Result<Lexeme, SyntaxError> {
        let position = self.position;
        if self.rest.starts_with(".'") {
            self.take(2);
            return Ok(Lexeme::Mark("'"));
        }
        let Some(mark) = MARKS.into_iter().find(|mark| self.rest.starts_with(mark)) else {
            return Err((position, format!("unexpected character {character:?}")));
        };
        self.take(mark.len());
        match mark {
            "(" | "[" => self.open.push(mark),
            ")" | "]" => _ = self.open.pop(),
            _ => {}
        }
        Ok(Lexeme::Mark(match mark {
            "~=" => "!=",
            "~" => "!",
            mark => mark,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexemes(source: &str) -> Vec<Lexeme> {
        tokens(source.as_bytes()).unwrap().into_iter().map(|token| token.lexeme).collect()
    }

    fn error(source: &[u8]) -> (u32, u32, String) {
        let (position, what) = tokens(source).unwrap_err();
        (position.line, position.column, what)
    }

    #[test]
    fn points_go_with_the_number_or_the_operator() {
        use Lexeme::{End, Mark, Number};
        assert_eq!(lexemes("1.*2"), [Number(1.0), Mark(".*"), Number(2.0), End]);
        assert_eq!(lexemes("1.5./.5"), [Number(1.5), Mark("./"), Number(0.5), End]);
        assert_eq!(lexemes("2.^1e-3"), [Number(2.0), Mark(".^"), Number(1e-3), End]);
        assert_eq!(lexemes("1. +...\n2"), [Number(1.0), Mark("+"), Number(2.0), End]);
    }

    #[test]
    fn quotes_transpose_values_and_enclose_text() {
        use Lexeme::{End, Mark, Name, Text};
        let a = || Name("a".into());
        assert_eq!(lexemes("a'.'"), [a(), Mark("'"), Mark("'"), End]);
        assert_eq!(lexemes("a 'b'"), [a(), Text("b".into()), End]);
        assert_eq!(lexemes("(a)'"), [Mark("("), a(), Mark(")"), Mark("'"), End]);
    }

    #[test]
    fn positions_count_characters() {
        let tokens = tokens("# \u{e4}\u{e4}\n  x = 'a''b'; # end".as_bytes()).unwrap();
        assert_eq!(tokens[1].lexeme, Lexeme::Name("x".into()));
        assert_eq!(tokens[1].position, Position { line: 2, column: 3 });
        assert_eq!(tokens[3].lexeme, Lexeme::Text("a'b".into()));
        assert_eq!(tokens[4].position, Position { line: 2, column: 13 });
    }

    #[test]
    fn errors_name_the_place() {
        assert_eq!(error(b"A = $"), (1, 5, "unexpected character '$'".into()));
        assert_eq!(error(b"A = 3i"), (1, 5, "complex numbers are not available".into()));
        assert_eq!(error(b"A = 3x"), (1, 5, "'3x' is neither a number nor a name".into()));
        assert_eq!(error(b"load(\"a"), (1, 6, "this text has no closing quote".into()));
        assert_eq!(error(b"A = \xff"), (1, 5, "this is not text (UTF-8)".into()));
    }
}
