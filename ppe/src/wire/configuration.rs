//! How ranks lower and execute traces.

use super::reader::{Reader, put_text};
use crate::engine::sabotage::{Manner, Sabotage};
use crate::engine::{self, Choice, Host};
use crate::error::Result;
use crate::lower::{BlockLimits, MemoryLimits, ProductLimits, ShardLimits, Target};
use crate::operation::{KindSet, OpKind};
use spe_kernels::Processor;

/// What lowering on ranks depends on: what the session's own lowering depends on as far as bits do, and shards. All
/// ranks lower each trace alike, so all of them get the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Configuration {
    /// How blocks are cut on one machine; products get their bits from it.
    pub blocks: BlockLimits,
    /// Most steps of a program.
    pub steps: usize,
    /// How matrices are cut into shards.
    pub shards: ShardLimits,
    /// Who executes block operations on shards.
    pub executor: Executor,
}

/// Who executes block operations in a rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Executor {
    /// Workers of StarPU, by the kernels of MEUs in main memory. The longest part of the inner side of a product of
    /// singles is so long.
    Kernels {
        /// Elements.
        inner: usize,
    },
    /// An engine of the rank, whose MEUs have local stores.
    Engine(RankEngine),
}

/// An engine that each rank has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankEngine {
    /// Its name.
    pub name: &'static str,
    /// What has been chosen about it.
    pub choice: Choice,
}

impl RankEngine {
    /// The engine of this name for ranks: in real time, and with MEUs that use their local stores.
    #[must_use]
    pub fn new(name: &'static str, choice: &Choice) -> RankEngine {
        let choice = Choice { memory: None, timing: false, ppe_factor: 0.0, compute: true, ..*choice };
        RankEngine { name, choice }
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        let Choice { meus, cells, kinds, chaos, processor, sabotage, .. } = self.choice;
        put_text(bytes, self.name);
        [meus, cells].iter().for_each(|&count| bytes.extend((count as u64).to_le_bytes()));
        bytes.extend(OpKind::ALL.map(|kind| u8::from(kinds.contains(kind))));
        let mut put_optional = |number: Option<u64>| {
            bytes.push(u8::from(number.is_some()));
            bytes.extend(number.unwrap_or(0).to_le_bytes());
        };
        put_optional(chaos);
        put_optional(sabotage.map(|sabotage| sabotage.step));
        put_optional(sabotage.and_then(|sabotage| sabotage.meu).map(|meu| meu as u64));
        let manner = sabotage.and_then(|of| Manner::ALL.iter().position(|&manner| manner == of.manner));
        bytes.extend([manner.unwrap_or(0) as u8, u8::from(processor == Processor::CellBe)]);
    }

    fn of_bytes(reader: &mut Reader<'_>) -> Result<RankEngine> {
        let name = reader.text()?;
        let known = engine::NAMES.into_iter().find(|known| *known == name);
        let name = known.ok_or_else(|| reader.wrong(format!("there is no engine '{name}'")))?;
        let (meus, cells) = (reader.u64()? as usize, reader.u64()? as usize);
        let mut kinds = Vec::new();
        for kind in OpKind::ALL {
            if reader.u8()? != 0 {
                kinds.push(kind);
            }
        }
        let optional = |reader: &mut Reader<'_>| -> Result<Option<u64>> {
            let is_there = reader.u8()? != 0;
            let number = reader.u64()?;
            Ok(is_there.then_some(number))
        };
        let (chaos, step, meu) = (optional(reader)?, optional(reader)?, optional(reader)?);
        let manner = usize::from(reader.u8()?);
        let manner = Manner::ALL.get(manner).ok_or_else(|| reader.wrong(format!("no manner {manner}")))?;
        let sabotage = step.map(|step| Sabotage { meu: meu.map(|meu| meu as usize), step, manner: *manner });
        let processor = if reader.u8()? != 0 { Processor::CellBe } else { Processor::PowerXCell8i };
        let choice = Choice {
            meus,
            cells,
            kinds: kinds.into_iter().collect::<KindSet>(),
            memory: None,
            chaos,
            processor,
            timing: false,
            ppe_factor: 0.0,
            compute: true,
            sabotage,
        };
        Ok(RankEngine { name, choice })
    }
}

impl Configuration {
    /// The configuration for a session whose own engine has this target, and is `engine`. None for a target in main
    /// memory with blocks of another choice than its own.
    #[must_use]
    pub fn of(target: &Target, shards: ShardLimits, engine: RankEngine) -> Option<Configuration> {
        if target.memory.is_some() {
            return Configuration::of_kernels(target, shards);
        }
        let (blocks, steps) = (target.blocks, target.steps);
        Some(Configuration { blocks, steps, shards, executor: Executor::Engine(engine) })
    }

    /// The configuration of ranks without an engine, for a target in main memory. None for any other target.
    #[must_use]
    pub fn of_kernels(target: &Target, shards: ShardLimits) -> Option<Configuration> {
        let executor = Executor::Kernels { inner: target.memory?.product?.inner };
        Some(Configuration { blocks: target.blocks, steps: target.steps, shards, executor })
    }

    /// The target of lowering to block operations on shards.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::error::Error::Argument) for an engine that there is not.
    pub fn target(&self) -> Result<Target> {
        let target = match self.executor {
            Executor::Kernels { inner } => {
                let target = Host::in_memory(1, MemoryLimits::default());
                let with_inner = |product: ProductLimits| ProductLimits { inner, ..product };
                let memory = target
                    .memory
                    .map(|memory| MemoryLimits { product: memory.product.map(with_inner), ..memory });
                Target { memory, ..target }
            }
            // Shards are no blocks for so many MEUs.
            Executor::Engine(engine) => Target { even: false, ..self.engine_target(&engine)? },
        };
        Ok(Target { blocks: self.blocks, steps: self.steps, shards: Some(self.shards), ..target })
    }

    /// The target of lowering for the engine of a rank.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::error::Error::Argument) for an engine that there is not.
    pub fn engine_target(&self, engine: &RankEngine) -> Result<Target> {
        let target = engine::target(engine.name, &engine.choice)?;
        Ok(Target { blocks: self.blocks, steps: self.steps, ..target })
    }

    /// Writes its bytes.
    pub(super) fn put(&self, bytes: &mut Vec<u8>) {
        let Configuration { blocks, steps, shards, executor } = self;
        let [singles, doubles] = blocks.block_elements;
        let [by_singles, by_doubles] = blocks.divisor;
        let sizes = [singles, doubles, by_singles, by_doubles, blocks.chain, *steps];
        sizes.iter().for_each(|&size| bytes.extend((size as u64).to_le_bytes()));
        bytes.push(u8::from(blocks.stretch));
        bytes.extend(shards.side.to_le_bytes());
        match executor {
            Executor::Kernels { inner } => {
                bytes.push(0);
                bytes.extend((*inner as u64).to_le_bytes());
            }
            Executor::Engine(engine) => {
                bytes.push(1);
                engine.put(bytes);
            }
        }
    }

    /// The configuration of these bytes, which makes sense.
    pub(super) fn of_bytes(reader: &mut Reader<'_>) -> Result<Configuration> {
        let mut sizes = [0; 6];
        for size in &mut sizes {
            *size = reader.u64()? as usize;
        }
        let [singles, doubles, by_singles, by_doubles, chain, steps] = sizes;
        let stretch = reader.u8()? != 0;
        let block_elements = [singles, doubles];
        let blocks = BlockLimits { block_elements, divisor: [by_singles, by_doubles], chain, stretch };
        let shards = ShardLimits { side: reader.u32()? };
        let executor = match reader.u8()? {
            0 => Executor::Kernels { inner: reader.u64()? as usize },
            1 => Executor::Engine(RankEngine::of_bytes(reader)?),
            other => return Err(reader.wrong(format!("there is no executor {other}"))),
        };
        let configuration = Configuration { blocks, steps, shards, executor };
        configuration.target()?.validate()?;
        Ok(configuration)
    }
}
