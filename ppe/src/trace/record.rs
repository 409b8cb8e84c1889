//! Recording of element-wise operations, products and conversions.

use super::graph::Record;
use super::{Recorder, Recording, Signature, Stated, Value, ValueType, rules, signature};
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::operation::{Class, Form, OpId, OpKind, Parameters, Precision, Shape, View};

impl Recorder {
    /// Records an operation on one value.
    ///
    /// # Errors
    /// [`Error::Argument`] when `kind` takes two.
    pub fn unary(&self, kind: OpKind, a: &Value, file: &str, line: u32) -> Result<Recording> {
        self.own(a)?;
        let signature = signature(kind, Form::Values, a.value_type(), None)?;
        self.finish_recording(signature, Form::Values, [Some(a), None], 0.0, None, file, line)
    }

    /// Records an operation on two values.
    ///
    /// # Errors
    /// [`Error::Nonconformant`]; [`Error::Argument`] when `kind` takes one.
    pub fn binary(&self, kind: OpKind, a: &Value, b: &Value, file: &str, line: u32) -> Result<Recording> {
        self.own(a)?;
        self.own(b)?;
        let signature = signature(kind, Form::Values, a.value_type(), Some(b.value_type()))?;
        let ValueType { shape, class, precision } = signature.result;
        if signature.kind == OpKind::Multiply && a.shape.columns == 0 && !shape.is_empty() {
            let zeros = Matrix::zeros(shape, precision, &self.pool)?;
            return Ok(Recording { value: self.constant(zeros, class)?, limit: None });
        }
        self.finish_recording(signature, Form::Values, [Some(a), Some(b)], 0.0, None, file, line)
    }

    /// Records the matrix product of two values. Each of them may be transposed before; lowering lets
    /// products read such an operand in place where it can.
    ///
    /// # Errors
    /// As [`binary`](Self::binary).
    pub fn product(
        &self,
        operands: [&Value; 2],
        transposed: [bool; 2],
        file: &str,
        line: u32,
    ) -> Result<Recording> {
        let types = [0, 1].map(|i| match operands[i].value_type() {
            of if transposed[i] => ValueType { shape: of.shape.transposed(), ..of },
            of => of,
        });
        let signature = signature(OpKind::Multiply, Form::Values, types[0], Some(types[1]))?;
        for operand in operands {
            self.own(operand)?;
        }
        let Signature { kind, result: ValueType { shape, class, precision } } = signature;
        if kind == OpKind::Multiply && types[0].shape.columns != 0 && !shape.is_empty() {
            let (form, scalar, parameters) = (Form::Values, 0.0, Parameters::default());
            let stated = Stated { kind, form, precision, shape, transposed, scalar, parameters };
            let begun = self.begin();
            if let Some(value) = self.at_once(&stated, class, precision, operands.map(Some))? {
                self.note(begun, kind, shape, true, (file, line));
                return Ok(Recording { value, limit: None });
            }
        }
        let mut turned = [None, None];
        for i in [0, 1].into_iter().filter(|&i| transposed[i]) {
            let shape = operands[i].shape;
            // If a limit is reached here, it is still reached when the product has been recorded.
            let view = self.view(operands[i], shape.transposed(), View::transpose(shape), file, line)?;
            turned[i] = Some(view.value);
        }
        let [a, b] = [0, 1].map(|i| turned[i].as_ref().unwrap_or(operands[i]));
        self.binary(OpKind::Multiply, a, b, file, line)
    }

    /// Records an operation on a value and a scalar of class `scalar_class`.
    ///
    /// # Errors
    /// [`Error::Argument`] when `kind` takes one operand or `form` is [`Form::Values`].
    #[allow(clippy::too_many_arguments, reason = "each names one thing that the call site has at hand")]
    pub fn binary_scalar(
        &self,
        kind: OpKind,
        form: Form,
        a: &Value,
        scalar: f64,
        scalar_class: Class,
        file: &str,
        line: u32,
    ) -> Result<Recording> {
        self.own(a)?;
        if form == Form::Values {
            return Err(Error::Argument(format!("{} does not take a scalar here", kind.name())));
        }
        let precision = match scalar_class {
            Class::Single => Precision::Single,
            Class::Double => Precision::Double,
            Class::Logical => a.precision,
        };
        let beside = ValueType { shape: Shape { rows: 1, columns: 1 }, class: scalar_class, precision };
        let signature = signature(kind, form, a.value_type(), Some(beside))?;
        self.finish_recording(signature, form, [Some(a), None], scalar, None, file, line)
    }

    /// The value in another precision; a logical value becomes a number.
    ///
    /// # Errors
    /// [`Error::Memory`]
    pub fn convert(&self, a: &Value, to: Precision, file: &str, line: u32) -> Result<Recording> {
        self.own(a)?;
        if a.class == Class::from(to) {
            return Ok(Recording { value: a.clone(), limit: None });
        }
        let result = ValueType { shape: a.shape, class: to.into(), precision: to };
        let (kind, form, scalar) = rules::conversion(a.precision, to);
        self.finish_recording(Signature { kind, result }, form, [Some(a), None], scalar, None, file, line)
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one record")]
    pub(super) fn finish_recording(
        &self,
        Signature { kind, result }: Signature,
        form: Form,
        operands: [Option<&Value>; 2],
        scalar: f64,
        parameters: Option<Parameters>,
        file: &str,
        line: u32,
    ) -> Result<Recording> {
        let ValueType { shape, class, precision: computed } = result;
        let in_bytes = self.in_bytes && class == Class::Logical && !kind.is_direct();
        let precision = if in_bytes { Precision::Byte } else { computed };
        let stored = ValueType { precision, ..result };
        if shape.is_empty() {
            let empty = Matrix::zeros(shape, precision, &self.pool)?;
            return Ok(Recording { value: self.constant(empty, class)?, limit: None });
        }
        let (transposed, given) = ([false; 2], parameters.unwrap_or_default());
        let stated = Stated { kind, form, precision, shape, transposed, scalar, parameters: given };
        let begun = self.begin();
        if let Some(value) = self.at_once(&stated, class, computed, operands)? {
            self.note(begun, kind, shape, true, (file, line));
            return Ok(Recording { value, limit: None });
        }
        let (id, limit) = self.with_room(|graph| {
            let site = graph.sites.number(file, line);
            let mut conversions = [OpId::NONE; 2];
            let ids = [0, 1].map(|position| {
                let Some(value) = operands[position] else { return OpId::NONE };
                let node = value.node_in(graph);
                let Some((kind, form, scalar)) = rules::conversion_for(kind, value.precision, computed)
                else {
                    return node;
                };
                let converted = graph.record(Record {
                    kind,
                    form,
                    class: Class::from(computed),
                    precision: computed,
                    shape: value.shape,
                    operands: [node, OpId::NONE],
                    scalar,
                    parameters: None,
                    site,
                });
                conversions[position] = converted;
                converted
            });
            let parameters = parameters.map(Box::new);
            let operands = ids;
            let id = graph.record(Record {
                kind,
                form,
                class,
                precision,
                shape,
                operands,
                scalar,
                parameters,
                site,
            });
            for conversion in conversions {
                if conversion != OpId::NONE {
                    graph.release(conversion);
                }
            }
            (id, self.limits.reached(graph.towards_limits(id)))
        })?;
        self.note(begun, kind, shape, false, (file, line));
        Ok(Recording { value: Value::of_node(&self.shared, id, stored), limit })
    }

    /// The time, while the timeline is on.
    fn begin(&self) -> Option<u64> {
        self.timeline.as_ref()?.begin()
    }

    /// Notes in the timeline that an operation has been recorded or `computed` since `begun`.
    fn note(&self, begun: Option<u64>, kind: OpKind, shape: Shape, computed: bool, at: (&str, u32)) {
        if let (Some(timeline), Some(begun)) = (&self.timeline, begun) {
            timeline.stated(begun, kind, shape, computed, at);
        }
    }
}
