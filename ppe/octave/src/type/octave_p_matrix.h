// SPDX-License-Identifier: GPL-3.0-or-later

// The Octave type p_matrix.
//
// Its virtual functions fall into three groups:
//   questions of size and class, which never force (octave_p_matrix.cc); only the question whether a value
//     is complex computes a value that may be complex,
//   mapping functions, which are recorded where the engine has them (functions.cc; operators are in
//     record/operators.cc),
//   all other functions, which force: Octave's own array gives the answer (functions.cc, display.cc,
//     subscript.cc, storage.cc).
// Octave's graphical interface asks for size, class and short display from a thread of its own.  So the first
// group must not force.

#ifndef PMATRIX_OCTAVE_P_MATRIX_H
#define PMATRIX_OCTAVE_P_MATRIX_H

#include "record/fallback.h"
#include "type/value.h"

// The type that Octave registers.  Its name, "p_matrix", is the name of the type in files which earlier
// versions saved.  An octave_p_matrix itself gives the name of Octave's type for its matrix, because Octave
// writes the name of the type beside the elements.
class octave_p_matrix_type : public octave_base_value
{
public:

  octave_p_matrix_type () = default;

  octave_base_value * clone () const;
  octave_base_value * empty_clone () const;

private:

  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

class octave_p_matrix : public octave_p_matrix_type
{
public:

  // Octave needs a prototype of each type.
  octave_p_matrix ();

  explicit octave_p_matrix (pmatrix::ValuePtr value) : m_value (std::move (value)) { }

  // Shares the value; the reference count of the object itself is not copied.
  octave_p_matrix (const octave_p_matrix& other) : octave_p_matrix_type (other), m_value (other.m_value) { }

  octave_p_matrix& operator = (const octave_p_matrix&) = delete;

  ~octave_p_matrix () = default;

  // Every operation makes an object of this class, and every assignment ends one, so memory of ended objects
  // is kept for the next ones (reused.h).
  static void * operator new (std::size_t bytes);
  static void operator delete (void *memory, std::size_t bytes) noexcept;

  octave_base_value * clone () const { return new octave_p_matrix (*this); }
  // A matrix without elements, of the class of this matrix.  x(i) = P begins with it when there is no x yet.
  octave_base_value * empty_clone () const;

  const pmatrix::ValuePtr& value () const { return m_value; }

  // Octave's own matrix; forces.
  const octave_value& full () const { return m_value->full (); }

  // From now on this object stands for the value of OTHER, as after X++.
  void become (const octave_p_matrix& other) { m_value = other.m_value; }

  static bool is_p_matrix (const octave_base_value& v) { return v.type_id () == static_type_id (); }

  static const octave_p_matrix& from (const octave_base_value& v) { return static_cast<const octave_p_matrix&> (v); }

  // ---- Questions that never force.

  dim_vector dims () const { return m_value->dims (); }
  octave_idx_type numel () const { return m_value->numel (); }
  int ndims () const { return m_value->is_held () ? full ().ndims () : 2; }
  std::size_t byte_size () const;

  bool is_defined () const { return true; }

  // The type of the elements.  A value that may be complex, such as a root, is computed for it.  Code of
  // Octave's that looks for a method (dispatch.h) gets no type, and nothing is computed.
  builtin_type_t builtin_type () const;

  bool is_constant () const { return true; }
  // True only when brackets ask (dispatch.h).
  bool isobject () const;
  // isreal and iscomplex compute a value that may be complex, except for a list of variables (dispatch.h).
  bool isreal () const;
  bool iscomplex () const;
  bool isnumeric () const { return ! islogical (); }
  bool islogical () const { return m_value->value_class () == PM_LOGICAL; }
  bool isfloat () const { return ! islogical (); }
  bool is_single_type () const { return m_value->value_class () == PM_SINGLE; }
  bool is_double_type () const { return m_value->value_class () == PM_DOUBLE; }
  bool is_scalar_type () const { return m_value->is_scalar (); }
  bool is_matrix_type () const { return ! m_value->is_scalar (); }
  // Octave counts a logical number as a real scalar, but a logical matrix not as a real matrix.
  bool is_real_scalar () const { return isreal () && m_value->is_scalar (); }
  bool is_real_matrix () const { return isreal () && isnumeric () && ! m_value->is_scalar (); }
  bool is_complex_scalar () const { return iscomplex () && m_value->is_scalar (); }
  bool is_complex_matrix () const { return iscomplex () && ! m_value->is_scalar (); }
  bool is_bool_scalar () const { return islogical () && m_value->is_scalar (); }
  bool is_bool_matrix () const { return islogical () && ! m_value->is_scalar (); }

  void short_disp (std::ostream& os) const;
  void print_info (std::ostream& os, const std::string& prefix) const;

  // ---- Recorded where the engine has the function, otherwise Octave's own result.

  octave_value map (unary_mapper_t function) const;

  // ---- Subscripts (subscript.cc).

  octave_value subsref (const std::string& type, const std::list<octave_value_list>& idx);
  octave_value_list subsref (const std::string& type, const std::list<octave_value_list>& idx, int nargout);
  octave_value subsref (const std::string& type, const std::list<octave_value_list>& idx, bool auto_add);
  octave_value do_index_op (const octave_value_list& idx, bool resize_ok = false);
  octave_value subsasgn (const std::string& type, const std::list<octave_value_list>& idx, const octave_value& rhs);
  octave_value fast_elem_extract (octave_idx_type n) const;
  shims::index_vector_type index_vector (bool require_integers = false) const;

  // ---- Display (display.cc).

  bool print_as_scalar () const;
  void print (std::ostream& os, bool pr_as_read_syntax = false);
  void print_raw (std::ostream& os, bool pr_as_read_syntax = false) const;
  bool print_name_tag (std::ostream& os, const std::string& name) const;
  void print_with_name (std::ostream& os, const std::string& name, bool print_padding = true);
  float_display_format get_edit_display_format () const;
  std::string edit_display (const float_display_format& format, octave_idx_type i, octave_idx_type j) const;

  // ---- Saving (storage.cc).

  std::string type_name () const;

  // The matrix that is saved.  A process that has been told to end saves its variables, and must not wait for
  // a value that has not been computed.  Such a value is saved as a matrix without elements, since a variable
  // cannot be left out any more.
  octave_value saved () const;

  bool save_ascii (std::ostream& os);
  bool load_ascii (std::istream& is);
  bool save_binary (std::ostream& os, bool save_as_floats);
  bool load_binary (std::istream& is, bool swap, octave::mach_info::float_format format);
  bool save_hdf5 (octave_hdf5_id location, const char *name, bool save_as_floats);
  bool load_hdf5 (octave_hdf5_id location, const char *name);

  // ---- Conversions and whole-matrix functions (functions.cc).

  type_conv_info numeric_conversion_function () const;

  octave_value full_value () const { return taken (); }
  octave_value as_double () const { return taken ().as_double (); }
  octave_value as_single () const { return taken ().as_single (); }
  octave_value as_int8 () const { return taken ().as_int8 (); }
  octave_value as_int16 () const { return taken ().as_int16 (); }
  octave_value as_int32 () const { return taken ().as_int32 (); }
  octave_value as_int64 () const { return taken ().as_int64 (); }
  octave_value as_uint8 () const { return taken ().as_uint8 (); }
  octave_value as_uint16 () const { return taken ().as_uint16 (); }
  octave_value as_uint32 () const { return taken ().as_uint32 (); }
  octave_value as_uint64 () const { return taken ().as_uint64 (); }

  // A list of the functions of octave_base_value that octave_value has under the same name: TYPE NAME (bool)
  // const.
#define PMATRIX_CONVERSIONS(CONVERSION)                           \
  CONVERSION (double, double_value)                               \
  CONVERSION (float, float_value)                                 \
  CONVERSION (double, scalar_value)                               \
  CONVERSION (float, float_scalar_value)                          \
  CONVERSION (Matrix, matrix_value)                               \
  CONVERSION (FloatMatrix, float_matrix_value)                    \
  CONVERSION (NDArray, array_value)                               \
  CONVERSION (FloatNDArray, float_array_value)                    \
  CONVERSION (Complex, complex_value)                             \
  CONVERSION (FloatComplex, float_complex_value)                  \
  CONVERSION (ComplexMatrix, complex_matrix_value)                \
  CONVERSION (FloatComplexMatrix, float_complex_matrix_value)     \
  CONVERSION (ComplexNDArray, complex_array_value)                \
  CONVERSION (FloatComplexNDArray, float_complex_array_value)     \
  CONVERSION (bool, bool_value)                                   \
  CONVERSION (boolMatrix, bool_matrix_value)                      \
  CONVERSION (boolNDArray, bool_array_value)                      \
  CONVERSION (charMatrix, char_matrix_value)                      \
  CONVERSION (charNDArray, char_array_value)                      \
  CONVERSION (SparseMatrix, sparse_matrix_value)                  \
  CONVERSION (SparseComplexMatrix, sparse_complex_matrix_value)   \
  CONVERSION (SparseBoolMatrix, sparse_bool_matrix_value)         \
  CONVERSION (DiagMatrix, diag_matrix_value)                      \
  CONVERSION (FloatDiagMatrix, float_diag_matrix_value)           \
  CONVERSION (ComplexDiagMatrix, complex_diag_matrix_value)       \
  CONVERSION (FloatComplexDiagMatrix, float_complex_diag_matrix_value)

#define PMATRIX_FORWARD(TYPE, NAME) TYPE NAME (bool convert = false) const { return taken ().NAME (convert); }
  PMATRIX_CONVERSIONS (PMATRIX_FORWARD)
#undef PMATRIX_FORWARD
#undef PMATRIX_CONVERSIONS

  // Conversions to the integer classes, scalar and array.
#define PMATRIX_FORWARD_INTEGER(TYPE)                                                                       \
  octave_ ## TYPE TYPE ## _scalar_value () const { return taken ().TYPE ## _scalar_value (); }               \
  TYPE ## NDArray TYPE ## _array_value () const { return taken ().TYPE ## _array_value (); }
  PMATRIX_FORWARD_INTEGER (int8)
  PMATRIX_FORWARD_INTEGER (int16)
  PMATRIX_FORWARD_INTEGER (int32)
  PMATRIX_FORWARD_INTEGER (int64)
  PMATRIX_FORWARD_INTEGER (uint8)
  PMATRIX_FORWARD_INTEGER (uint16)
  PMATRIX_FORWARD_INTEGER (uint32)
  PMATRIX_FORWARD_INTEGER (uint64)
#undef PMATRIX_FORWARD_INTEGER

  octave_value convert_to_str_internal (bool pad, bool force, char type) const;

  bool is_true () const { return taken ().is_true (); }
  octave_idx_type nnz () const { return taken ().nnz (); }
  octave_idx_type nzmax () const { return taken ().nzmax (); }
  octave_value all (int dim = 0) const;
  octave_value any (int dim = 0) const;
  octave_value squeeze () const;
  octave_value reshape (const dim_vector& dv) const;
  octave_value permute (const Array<int>& order, bool inverse = false) const;
  octave_value resize (const dim_vector& dv, bool fill = false) const;
  octave_value diag (octave_idx_type k = 0) const;
  octave_value diag (octave_idx_type m, octave_idx_type n) const;
  octave_value sort (octave_idx_type dim = 0, sortmode mode = ASCENDING) const;
  octave_value sort (Array<octave_idx_type>& order, octave_idx_type dim = 0, sortmode mode = ASCENDING) const;
  sortmode issorted (sortmode mode = UNSORTED) const { return taken ().issorted (mode); }
  Array<octave_idx_type> sort_rows_idx (sortmode mode = ASCENDING) const { return taken ().sort_rows_idx (mode); }
  sortmode is_sorted_rows (sortmode mode = UNSORTED) const { return taken ().is_sorted_rows (mode); }
  MatrixType matrix_type () const { return taken ().matrix_type (); }
  MatrixType matrix_type (const MatrixType& type) const { return taken ().matrix_type (type); }
  shims::mex_pointer mex_get_data () const;
  int write (octave::stream& os, int block_size, oct_data_conv::data_type output_type, int skip,
             octave::mach_info::float_format format) const;

private:

  // The part that subscripts in parentheses name.
  octave_value select (const octave_value_list& idx);

  // Finds the engine's operation for a mapping function; false when the engine has none.
  static bool engine_has (unary_mapper_t function, pm_operation& operation);

  // Octave's own matrix for Octave's code.  It counts as a fallback when a compiled function asks for the
  // matrix.
  const octave_value& taken () const { pmatrix::note_full_value (); return full (); }

  pmatrix::ValuePtr m_value;
};

namespace pmatrix
{
  // An octave_value for a recorded operation; computes it now in synchronous mode.
  octave_value pending (pm_value *node, bool may_be_complex);
  octave_value pending (ValuePtr value);

  // True for what Octave computed when it becomes a p_matrix.
  bool is_wrapped (const octave_value& v);

  // A p_matrix of a value that Octave has computed, or the value itself when it cannot be a p_matrix.
  octave_value wrap (const octave_value& v);

  // Octave's own matrix of a p_matrix, any other value as it is.
  octave_value unwrap (const octave_value& v);
  octave_value_list unwrap (const octave_value_list& args);

  // mod, rem, atan2, hypot, and max and min of two values, by Octave's rules for classes and shapes;
  // undefined where the engine has no form for the operands (operators.cc).
  octave_value function_of_two (const std::string& name, pm_operation operation, const octave_value& x, const octave_value& y);

  void install_operators (octave::type_info& ti);
}

#endif
