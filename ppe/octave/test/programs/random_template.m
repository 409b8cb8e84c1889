## template = random_template (families, statement)
## A template of a random family, by weight, and of random choice in it: of a statement or of a value.
function template = random_template (families, statement)
  families = families([families.statement] == statement);
  sums = cumsum ([families.weight]);
  family = families(find (rand () * sums(end) < sums, 1));
  template = pick (family.templates);
endfunction

%!test
%! families = program_templates ();
%! statements = [families([families.statement]).templates];
%! assert (any (strcmp (statements, random_template (families, true))));
%! assert (! any (strcmp (statements, random_template (families, false))));
