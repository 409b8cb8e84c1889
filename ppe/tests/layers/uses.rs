//! Finds the modules of the crate that a source file names.
//!
//! The file is read as tokens, so comments and strings name nothing, and a path inside of a macro is seen.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// What a file takes from another module of the crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Use {
    /// The path from the root of the crate; `*` stands for all of its modules.
    pub(crate) path: Vec<String>,
    /// Whether the file offers what it takes under a path of its own.
    pub(crate) exported: bool,
}

/// The paths that begin at the root of the crate, in the text of the module with this path; tests in the file
/// are left out.
pub(crate) fn uses(text: &str, module: &[&str]) -> Vec<Use> {
    let stream: TokenStream = text.parse().expect("a source file consists of tokens");
    let mut found = Vec::new();
    let module = module.iter().map(ToString::to_string).collect::<Vec<_>>();
    walk(&stream.into_iter().collect::<Vec<_>>(), &module, &mut found);
    found
}

/// The words of a file, without the words of its tests.
pub(crate) fn words(text: &str) -> Vec<String> {
    fn collect(tokens: &[TokenTree], found: &mut Vec<String>) {
        let mut at = 0;
        while at < tokens.len() {
            if is_test(tokens, at) {
                at = after_item(tokens, at + 2);
                continue;
            }
            match &tokens[at] {
                TokenTree::Ident(word) => found.push(word.to_string()),
                TokenTree::Group(group) => collect(&group.stream().into_iter().collect::<Vec<_>>(), found),
                _ => {}
            }
            at += 1;
        }
    }
    let stream: TokenStream = text.parse().expect("a source file consists of tokens");
    let mut found = Vec::new();
    collect(&stream.into_iter().collect::<Vec<_>>(), &mut found);
    found
}

fn is_ident(tree: Option<&TokenTree>, word: &str) -> bool {
    matches!(tree, Some(TokenTree::Ident(ident)) if ident == word)
}

fn is_punct(tree: Option<&TokenTree>, sign: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

fn is_path_separator(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')
}

/// Whether an attribute that begins here leaves the next item to tests.
fn is_test(tokens: &[TokenTree], at: usize) -> bool {
    let attribute = |tree: &TokenTree| match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            group.stream().to_string().replace(' ', "") == "cfg(test)"
        }
        _ => false,
    };
    is_punct(tokens.get(at), '#') && tokens.get(at + 1).is_some_and(attribute)
}

/// Where the item that begins here has ended.
fn after_item(tokens: &[TokenTree], mut at: usize) -> usize {
    while let Some(tree) = tokens.get(at) {
        at += 1;
        match tree {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => break,
            TokenTree::Punct(punct) if matches!(punct.as_char(), ';' | ',') => break,
            _ => {}
        }
    }
    at
}

fn walk(tokens: &[TokenTree], module: &[String], found: &mut Vec<Use>) {
    let mut at = 0;
    // Whether the item at hand has been called `pub`, to whomever.
    let mut public = false;
    while at < tokens.len() {
        if is_test(tokens, at) {
            at = after_item(tokens, at + 2);
            continue;
        }
        let next = match &tokens[at] {
            TokenTree::Ident(word) if word == "mod" => {
                public = false;
                let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) =
                    (tokens.get(at + 1), tokens.get(at + 2))
                else {
                    at += 1;
                    continue;
                };
                let inner = [module, &[name.to_string()]].concat();
                walk(&body.stream().into_iter().collect::<Vec<_>>(), &inner, found);
                at + 3
            }
            TokenTree::Ident(word) if word == "use" => {
                let end = after_use(tokens, at + 1);
                let before = found.len();
                path(&tokens[at + 1..end], module, None, true, found);
                found[before..].iter_mut().for_each(|path| path.exported = public);
                public = false;
                end
            }
            TokenTree::Ident(word) if word == "pub" => {
                public = true;
                // The parentheses say to whom, and name no more than that.
                let limited = matches!(tokens.get(at + 1), Some(TokenTree::Group(group))
                    if group.delimiter() == Delimiter::Parenthesis);
                at + 1 + usize::from(limited)
            }
            TokenTree::Ident(word) if ["crate", "self", "super"].iter().any(|root| word == root) => {
                public = false;
                let end = path(&tokens[at..], module, None, false, found);
                at + end.max(1)
            }
            TokenTree::Group(group) => {
                public = false;
                walk(&group.stream().into_iter().collect::<Vec<_>>(), module, found);
                at + 1
            }
            _ => {
                public = false;
                at + 1
            }
        };
        at = next;
    }
}

fn after_use(tokens: &[TokenTree], mut at: usize) -> usize {
    while at < tokens.len() && !is_punct(tokens.get(at), ';') {
        at += 1;
    }
    at
}

/// Reads a path, or a tree of them in a `use`, that goes on from `base` or begins with `crate`, `self` or
/// `super`. Gives the number of tokens read.
fn path(
    tokens: &[TokenTree],
    module: &[String],
    base: Option<&[String]>,
    in_use: bool,
    found: &mut Vec<Use>,
) -> usize {
    let mut absolute = base.map(<[String]>::to_vec);
    let mut at = 0;
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(word)) => {
                absolute = match (absolute, word.to_string().as_str()) {
                    (None, "crate") => Some(Vec::new()),
                    (None, "self") => Some(module.to_vec()),
                    (None, "super") => Some(module[..module.len().saturating_sub(1)].to_vec()),
                    // What begins with another name is another crate's, or has been named before.
                    (None, _) => return at + 1,
                    (Some(path), "self") => Some(path),
                    (Some(mut path), "super") => {
                        path.pop();
                        Some(path)
                    }
                    (Some(mut path), name) => {
                        path.push(name.to_owned());
                        Some(path)
                    }
                };
                at += 1;
            }
            Some(TokenTree::Punct(star)) if in_use && star.as_char() == '*' => {
                at += 1;
                if let Some(path) = &mut absolute {
                    path.push("*".to_owned());
                }
            }
            Some(TokenTree::Group(group)) if in_use && group.delimiter() == Delimiter::Brace => {
                let inner = group.stream().into_iter().collect::<Vec<_>>();
                for branch in inner.split(|tree| is_punct(Some(tree), ',')) {
                    if !branch.is_empty() {
                        path(branch, module, absolute.as_deref(), true, found);
                    }
                }
                return at + 1;
            }
            _ => break,
        }
        if !is_path_separator(tokens, at) {
            break;
        }
        at += 2;
    }
    let Some(mut path) = absolute else { return at };
    // The crate itself under another name is all of its modules.
    if path.is_empty() && (is_ident(tokens.get(at), "as") || in_use) {
        path.push("*".to_owned());
    }
    if !path.is_empty() {
        found.push(Use { path, exported: false });
    }
    at
}
