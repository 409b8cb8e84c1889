//! Addresses written with the program's symbols.

use spu_sim::{elf::Image, instruction::disasm::AddressFormat};

/// The symbols of a program as an address format.
pub(super) struct Symbols<'a>(pub(super) &'a Image);

impl AddressFormat for Symbols<'_> {
    fn address(&self, address: u32) -> String {
        match self.0.symbol_at(address) {
            Some(symbol) if symbol.address == address => format!("{address:x} <{}>", symbol.name),
            Some(symbol) => format!("{address:x} <{}+0x{:x}>", symbol.name, address - symbol.address),
            None => format!("{address:x}"),
        }
    }

    fn has_symbol_at_zero(&self) -> bool {
        self.0.symbols().first().is_some_and(|symbol| symbol.address == 0)
    }
}

/// Name of the function that an address belongs to.
pub(super) fn function_name(image: &Image, address: u32) -> &str {
    image.symbol_at(address).map_or("?", |symbol| symbol.name.as_str())
}
