//! Handles to values.

use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::Instant;

use super::graph::{Graph, Record, State};
use super::{Shared, ValueType};
use crate::error::Error;
use crate::matrix::Matrix;
use crate::operation::{Class, Form, OpId, OpKind, Parameters, Precision, Shape};

/// A handle to a value: a known matrix, or the result of an operation that may not have been executed yet.
pub struct Value {
    pub(super) shared: Arc<Shared>,
    identity: Identity,
    pub(super) shape: Shape,
    pub(super) class: Class,
    pub(super) precision: Precision,
}

/// What all handles of a value share.
enum Identity {
    /// A node in the graph, of which this is a handle.
    Node(OpId),
    /// A matrix that has been known from the beginning.
    Known(Arc<Known>),
}

/// A known matrix.
struct Known {
    shared: Arc<Shared>,
    matrix: Arc<Matrix>,
    class: Class,
    /// Its node, once a recorded operation has read the matrix.
    node: OnceLock<OpId>,
}

impl Drop for Known {
    fn drop(&mut self) {
        if let Some(&id) = self.node.get() {
            _ = self.shared.try_with(|graph| graph.release(id));
        }
    }
}

/// The operation that a value stands for.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// What it computes.
    pub kind: OpKind,
    /// Which operands are values.
    pub form: Form,
    /// The operands that are values.
    pub operands: [Option<Value>; 2],
    /// The scalar of the scalar forms.
    pub scalar: f64,
    /// The parameters of a move or reduction; zeros for any other operation.
    pub parameters: Parameters,
}

/// How far a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// Recorded.
    Pending,
    /// In a trace that is being lowered, scheduled or executed.
    InFlight,
    /// Computed.
    Complete,
    /// It could not be computed, and another attempt may succeed.
    SetAside,
    /// It cannot be computed: it never can, or threads that wait for it have just been told of a failure.
    Failed(Error),
}

impl Value {
    /// Takes over a handle of a node.
    pub(super) fn of_node(shared: &Arc<Shared>, id: OpId, of: ValueType) -> Value {
        let ValueType { shape, class, precision } = of;
        Value { shared: Arc::clone(shared), identity: Identity::Node(id), shape, class, precision }
    }

    /// A value whose elements are known.
    pub(super) fn of_matrix(shared: &Arc<Shared>, matrix: Arc<Matrix>, class: Class) -> Value {
        let (shape, precision) = (matrix.shape(), matrix.precision());
        let known = Known { shared: Arc::clone(shared), matrix, class, node: OnceLock::new() };
        let identity = Identity::Known(Arc::new(known));
        Value { shared: Arc::clone(shared), identity, shape, class, precision }
    }

    /// The node, for a graph that has room for one.
    pub(super) fn node_in(&self, graph: &mut Graph) -> OpId {
        match &self.identity {
            Identity::Node(id) => *id,
            Identity::Known(known) => {
                *known.node.get_or_init(|| graph.constant(Arc::clone(&known.matrix), known.class))
            }
        }
    }

    /// The node of a value that is not known from the beginning.
    pub(super) fn node(&self) -> Option<OpId> {
        match self.identity {
            Identity::Node(id) => Some(id),
            Identity::Known(_) => None,
        }
    }

    /// Rows and columns.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Class in Octave.
    #[must_use]
    pub fn class(&self) -> Class {
        self.class
    }

    /// What is known about the value without its elements.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        ValueType { shape: self.shape, class: self.class, precision: self.precision }
    }

    /// True when the elements are known.
    #[must_use]
    pub fn has_result(&self) -> bool {
        self.progress() == Progress::Complete
    }

    /// The node that all handles of this value share. Another value may get this node when no handle is left.
    #[must_use]
    pub fn id(&self) -> OpId {
        let node = |graph: &mut Graph| graph.make_room().ok().map(|()| self.node_in(graph));
        self.node().or_else(|| self.shared.try_with(node).flatten()).unwrap_or(OpId::NONE)
    }

    /// How far the value is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let Some(id) = self.node() else { return Progress::Complete };
        let graph = self.shared.graph.lock();
        graph.map_or(Progress::Failed(Error::Fork), |graph| Self::progress_in(&graph, id))
    }

    fn progress_in(graph: &Graph, id: OpId) -> Progress {
        match graph.node(id).state {
            State::Constant | State::Complete => Progress::Complete,
            State::InFlight => Progress::InFlight,
            State::Pending => Progress::Pending,
            State::Failed if graph.is_set_aside(id) => Progress::SetAside,
            State::Failed => Progress::Failed(graph.error(id).cloned().unwrap_or(Error::Closed)),
            State::Free => unreachable!("a handle keeps its node"),
        }
    }

    /// Waits until the value is no longer in flight, or the deadline has passed. If the value fails while a
    /// thread waits for it, the next call says why, once.
    #[must_use]
    pub fn wait(&self, deadline: Option<Instant>) -> Progress {
        let Some(id) = self.node() else { return Progress::Complete };
        let Some(mut graph) = self.shared.graph.lock() else { return Progress::Failed(Error::Fork) };
        loop {
            let progress = Self::progress_in(&graph, id);
            let waits = matches!(progress, Progress::Pending | Progress::InFlight);
            let wanted = graph.set_wanted(id, waits);
            if progress == Progress::SetAside && wanted {
                return Progress::Failed(graph.error(id).cloned().unwrap_or(Error::Closed));
            }
            if progress != Progress::InFlight {
                return progress;
            }
            if self.shared.graph.is_foreign() {
                return Progress::Failed(Error::Fork);
            }
            graph = match deadline {
                None => self.shared.changed.wait(graph).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return progress;
                    }
                    self.shared.changed.wait_timeout(graph, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// The matrix, if it has been computed.
    #[must_use]
    pub fn matrix(&self) -> Option<Arc<Matrix>> {
        match &self.identity {
            Identity::Node(id) => self.shared.graph.lock()?.matrix(*id),
            Identity::Known(known) => Some(Arc::clone(&known.matrix)),
        }
    }

    /// What a pending or failed value stands for; None when its elements are known.
    #[must_use]
    pub fn recorded(&self) -> Option<Recorded> {
        let mut graph = self.shared.graph.lock()?;
        let node = graph.node(self.node()?);
        if matches!(node.state, State::Constant | State::Complete) {
            return None;
        }
        let &Record { kind, form, scalar, operands, ref parameters, .. } = &node.what;
        let parameters = parameters.as_deref().copied().unwrap_or_default();
        let operands = operands.map(|id| {
            (id != OpId::NONE).then(|| {
                graph.retain(id);
                let Record { shape, class, precision, .. } = graph.node(id).what;
                Value::of_node(&self.shared, id, ValueType { shape, class, precision })
            })
        });
        Some(Recorded { kind, form, operands, scalar, parameters })
    }
}

impl Clone for Value {
    fn clone(&self) -> Value {
        let identity = match &self.identity {
            &Identity::Node(id) => {
                // In a forked child that cannot have the lock no value is ever freed, so the count does not
                // matter.
                _ = self.shared.try_with(|graph| graph.retain(id));
                Identity::Node(id)
            }
            Identity::Known(known) => Identity::Known(Arc::clone(known)),
        };
        let &Value { shape, class, precision, .. } = self;
        Value { shared: Arc::clone(&self.shared), identity, shape, class, precision }
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        if let Some(id) = self.node() {
            _ = self.shared.try_with(|graph| graph.release(id));
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node() {
            Some(id) => write!(f, "Value({} {} {})", id.0, self.shape, self.class.name()),
            None => write!(f, "Value(known {} {})", self.shape, self.class.name()),
        }
    }
}
