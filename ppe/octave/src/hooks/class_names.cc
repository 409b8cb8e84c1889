// SPDX-License-Identifier: GPL-3.0-or-later

#include <octave/defaults.h>
#include <octave/ov-fcn-handle.h>

#include "hooks/auto.h"
#include "hooks/class_names.h"
#include "hooks/methods.h"
#include "type/octave_p_matrix.h"
#include "hooks/replace.h"

namespace pmatrix
{
  static bool
  names_p_matrix (const octave_value& v)
  {
    return v.is_string () && v.string_value () == "p_matrix";
  }

  static bool
  is_lazy (const octave_value& v)
  {
    return octave_p_matrix::is_p_matrix (v.get_rep ());
  }

  static pm_class
  element_class (const octave_value& p)
  {
    return octave_p_matrix::from (p.get_rep ()).value ()->value_class ();
  }

  // A plain number of the class of the elements.  The elements are not computed.
  static octave_value
  model (const octave_value& p)
  {
    switch (element_class (p))
      {
      case PM_SINGLE:
        return octave_value (0.0f);
      case PM_LOGICAL:
        return octave_value (false);
      default:
        return octave_value (0.0);
      }
  }

  // Whether the last arguments are "like", P.
  static bool
  asks_for_like (const octave_value_list& args)
  {
    octave_idx_type last = args.length () - 1;
    return last > 0 && is_lazy (args(last)) && args(last - 1).is_string () && args(last - 1).string_value () == "like";
  }

  namespace
  {
    // zeros (..., "p_matrix"), zeros (..., "like", P) and their like.
    class Creation : public Replacement
    {
    public:

      using Replacement::Replacement;

      octave_value_list
      execute (octave::tree_evaluator& evaluator, int nargout, const octave_value_list& args) override
      {
        octave_idx_type last = args.length () - 1;
        if (last >= 0 && names_p_matrix (args(last)))
          return create (evaluator, nargout, args, octave_value ("double"));
        if (asks_for_like (args))
          return create (evaluator, nargout, args, model (args(last)));
        return octave_builtin::execute (evaluator, nargout, args);
      }

    private:

      octave_value_list
      create (octave::tree_evaluator& evaluator, int nargout, octave_value_list args, const octave_value& known)
      {
        args(args.length () - 1) = known;
        octave_value_list results = octave_builtin::execute (evaluator, nargout, args);
        if (results.length () > 0)
          results(0) = wrap (results(0).full_value ());
        return results;
      }
    };

    // A creation whose result p_auto wraps as well: zeros (1000).
    class AutomaticCreation : public Creation
    {
    public:

      using Creation::Creation;

      octave_value_list
      execute (octave::tree_evaluator& evaluator, int nargout, const octave_value_list& args) override
      {
        return wrap_automatically (args, Creation::execute (evaluator, nargout, args));
      }
    };

    // flintmax (P): of the class of its argument.
    class Limit : public Creation
    {
    public:

      using Creation::Creation;

      octave_value_list
      execute (octave::tree_evaluator& evaluator, int nargout, const octave_value_list& args) override
      {
        if (args.length () == 1 && is_lazy (args(0)))
          return octave_builtin::execute (evaluator, nargout, ovl (model (args(0))));
        return Creation::execute (evaluator, nargout, args);
      }
    };

    // bitand (P, 3): the function tells its arguments apart by the names of their classes, so it is given
    // full matrices.
    class OfFull : public Replacement
    {
    public:

      using Replacement::Replacement;

      octave_value_list
      execute (octave::tree_evaluator& evaluator, int nargout, const octave_value_list& args) override
      {
        for (octave_idx_type i = 0; i < args.length (); ++i)
          if (is_lazy (args(i)))
            {
              note_fallback (name ());
              return octave_builtin::execute (evaluator, nargout, unwrap (args));
            }
        return octave_builtin::execute (evaluator, nargout, args);
      }
    };

    // __methods__ ("p_matrix"), which methods and ismethod ask.  Octave's answer has the methods in files;
    // the methods of this library are added.
    class MethodNames : public Replacement
    {
    public:

      using Replacement::Replacement;

      octave_value_list
      execute (octave::tree_evaluator& evaluator, int nargout, const octave_value_list& args) override
      {
        octave_value_list results = octave_builtin::execute (evaluator, nargout, args);
        if (args.length () != 1 || ! names_p_matrix (args(0)))
          return results;
        std::set<std::string> names = method_names ();
        Array<std::string> files = results(0).cellstr_value ();
        for (octave_idx_type i = 0; i < files.numel (); ++i)
          names.insert (files(i));
        Cell all (names.size (), 1);
        octave_idx_type i = 0;
        for (const std::string& name : names)
          all(i++) = name;
        results(0) = octave_value (all);
        if (results.length () > 1)
          results(1) = octave_value (true);
        return results;
      }
    };

    // isa (P, NAME)
    class Isa : public Replacement
    {
    public:

      template <typename POINTER>
      Isa (POINTER pointer, const octave_builtin& octave)
        : Replacement (pointer, octave)
      {
        push_dispatch_class ("p_matrix");
      }

      octave_value_list
      execute (octave::tree_evaluator& evaluator, int nargout, const octave_value_list& args) override
      {
        octave_value_list results = octave_builtin::execute (evaluator, nargout, args);
        if (results.length () != 1 || ! is_lazy (args(0)))
          return results;
        static const char *class_names[] = { "single", "double", "logical" };
        boolNDArray answer = results(0).bool_array_value ();
        Array<std::string> names = args(1).cellstr_value ();
        for (octave_idx_type i = 0; i < names.numel (); ++i)
          if (names(i) == class_names[element_class (args(0))])
            answer(i) = true;
        return ovl (answer);
      }
    };

    // cellfun ("class", CELL) in a file of Octave's library.  Such a file, for example that of
    // containers.Map, chooses by the names of classes, so a p_matrix has the name of its elements' class
    // there.
    class CellClasses : public Replacement
    {
    public:

      using Replacement::Replacement;

      octave_value_list
      execute (octave::tree_evaluator& evaluator, int nargout, const octave_value_list& args) override
      {
        if (args.length () < 2 || ! asks_for_class (args(0)) || ! args(1).iscell () || ! called_by_octave ())
          return octave_builtin::execute (evaluator, nargout, args);
        Cell cell = args(1).cell_value ();
        for (octave_idx_type i = 0; i < cell.numel (); ++i)
          if (is_lazy (cell(i)))
            cell(i) = model (cell(i));
        octave_value_list with_models = args;
        with_models(1) = octave_value (cell);
        return octave_builtin::execute (evaluator, nargout, with_models);
      }

    private:

      static bool
      asks_for_class (const octave_value& function)
      {
        return (function.is_string () && function.string_value () == "class")
               || (function.is_function_handle () && function.fcn_handle_value ()->fcn_name () == "class");
      }
    };

    // A method in front of a function that is a file of Octave's library (replace.h).
    class InFrontOfFile : public FileMethod
    {
    public:

      using FileMethod::FileMethod;

      octave_value_list
      execute (octave::tree_evaluator&, int nargout, const octave_value_list& args) override
      {
        // A script that has a function of this name means its own function, which gets its arguments as they
        // are.
        octave_value function = defined ();
        return is_octaves_own (function) ? execute_in_front (function, args, nargout) : call_file (function, args, nargout);
      }

    protected:

      // FUNCTION is Octave's own, which would have been called.
      virtual octave_value_list
      execute_in_front (const octave_value& function, const octave_value_list& args, int nargout) = 0;

      static octave_value_list
      call_file (const octave_value& function, const octave_value_list& args, int nargout)
      {
        return function.function_value ()->call (interpreter ().get_evaluator (), nargout, args);
      }

    private:

      octave_value
      defined ()
      {
        octave::symbol_table& symbols = interpreter ().get_symbol_table ();
        octave_value function = symbols.find_cmdline_function (name ());
        if (function.is_undefined ())
          function = symbols.find_user_function (name ());
        if (function.is_undefined ())
          error_with_id ("Octave:undefined-function", "'%s' undefined", name ().c_str ());
        return function;
      }

      static bool
      is_octaves_own (const octave_value& function)
      {
        static const std::string *own = new std::string (octave::config::fcn_file_dir ());
        static const std::string *compiled = new std::string (octave::config::oct_file_dir ());
        const std::string file = function.function_value ()->fcn_file_name ();
        return file.compare (0, own->length (), *own) == 0 || file.compare (0, compiled->length (), *compiled) == 0;
      }
    };

    // gammainc (P, 2): the file begins with zeros (size (P), class (P)), or accepts classes by name, so it is
    // given full matrices.
    class FileOfFull : public InFrontOfFile
    {
    public:

      using InFrontOfFile::InFrontOfFile;

    protected:

      octave_value_list
      execute_in_front (const octave_value& function, const octave_value_list& args, int nargout) override
      {
        note_fallback (name ());
        return wrap_matrices (call_file (function, unwrap (args), nargout));
      }
    };

    // repmat (P, 2, 3)
    class Repetition : public FileOfFull
    {
    public:

      Repetition () : FileOfFull ("repmat") { }

    protected:

      octave_value_list
      execute_in_front (const octave_value& function, const octave_value_list& args, int nargout) override
      {
        octave_value result = record_repetition (args);
        return result.is_defined () ? octave_value_list (result) : FileOfFull::execute_in_front (function, args, nargout);
      }
    };

    // methods (P), ismethod (P, NAME): they are given the name of the class instead of P.
    class FileOfClassName : public InFrontOfFile
    {
    public:

      using InFrontOfFile::InFrontOfFile;

    protected:

      octave_value_list
      execute_in_front (const octave_value& function, const octave_value_list& args, int nargout) override
      {
        octave_value_list named = args;
        if (args.length () > 0 && is_lazy (args(0)))
          named(0) = octave_value ("p_matrix");
        return call_file (function, named, nargout);
      }
    };

    // assert (P, [2 4]): it is given full matrices, so that it compares contents.  Its message repeats the
    // text of the call, which goes with the arguments.
    class Assert : public InFrontOfFile
    {
    public:

      Assert () : InFrontOfFile ("assert") { }

    protected:

      octave_value_list
      execute_in_front (const octave_value& function, const octave_value_list& args, int nargout) override
      {
        return call_file (function, unwrap (args), nargout);
      }
    };

    // cast (Y, "p_matrix") and cast (Y, "like", P), whatever Y is.
    class Cast : public InFrontOfFile
    {
    public:

      Cast () : InFrontOfFile ("cast") { }

    protected:

      octave_value_list
      execute_in_front (const octave_value& function, const octave_value_list& args, int nargout) override
      {
        if (args.length () == 2 && names_p_matrix (args(1)))
          {
            // The elements of a p_matrix have a class of their own already.
            bool as_it_is = is_lazy (args(0)) && element_class (args(0)) != PM_LOGICAL;
            return as_it_is ? args(0) : wrap (call_file (function, ovl (args(0), "double"), nargout)(0));
          }
        if (args.length () == 3 && asks_for_like (args))
          return wrap (call_file (function, ovl (args(0), args(1), model (args(2))), nargout)(0));
        return call_file (function, args, nargout);
      }
    };
  }

  void
  teach_class_name (octave::interpreter& interp)
  {
    octave::symbol_table& symbols = interp.get_symbol_table ();
    for (const char *name : { "zeros", "ones", "eye", "rand", "randn" })
      replace_built_in<AutomaticCreation> (symbols, name);
    for (const char *name : { "rande", "randg", "randp", "Inf", "inf", "NaN", "nan", "NA", "e", "pi", "eps", "realmax", "realmin",
                              "typecast" })
      replace_built_in<Creation> (symbols, name);
    for (const char *name : { "flintmax", "intmax", "intmin" })
      replace_built_in<Limit> (symbols, name);
    for (const char *name : { "bitand", "bitor", "bitxor", "bitshift" })
      replace_built_in<OfFull> (symbols, name);
    replace_built_in<Isa> (symbols, "isa");
    replace_built_in<CellClasses> (symbols, "cellfun");
    replace_built_in<MethodNames> (symbols, "__methods__");
    for (const char *name : { "methods", "ismethod" })
      add_method (new FileOfClassName (name), { "p_matrix" });
    add_method (new Cast (), { "p_matrix" });
    add_method (new Cast (), { "double", "single", "logical", "char", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                               "uint64" });
    add_method (new Assert (), { "p_matrix" });
    add_method (new Repetition (), { "p_matrix" });
    // Some versions of Octave have chol and qr as compiled files, and some have them built in.
    for (const char *name : { "chol", "qr" })
      if (! symbols.is_built_in_function_name (name))
        add_method (new FileOfFull (name), { "p_matrix" });
    for (const char *name : { "accumarray", "circshift", "cond", "conv", "cross", "deconv", "expm", "hankel", "histc", "interp1", "interp2",
                              "isdefinite", "logm", "median", "mode", "null", "orth", "polyfit", "rank", "sortrows", "toeplitz", "xor" })
      add_method (new FileOfFull (name), { "p_matrix" });
    for (const char *name : { "betainc", "betaincinv", "bitset", "cmpermute", "cmunique", "cosint", "ellipke", "expint", "gammainc",
                              "gammaincinv", "gmres", "gradient", "gray2ind", "im2double", "imshow", "imwrite", "ind2gray", "isuniform",
                              "mat2str", "quantile", "rgb2ind", "sinint", "swapbytes", "unique", "uniquetol", "vander" })
      add_method (new FileOfFull (name), { "p_matrix" });
  }
}
