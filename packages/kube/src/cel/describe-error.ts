/** cel-go's words for errors of the library, by their code. */
const WORDINGS: Readonly<Record<string, (summary: string) => string>> = {
  no_such_key: (summary) => summary.replace(/^No such key/, 'no such key'),
  index_out_of_bounds: (summary) => summary.replace(/^.*index (-?\d+) .*$/, 'index out of bounds: $1'),
  modulo_by_zero: () => 'modulus by zero',
  numeric_overflow: (summary) =>
    /^unsigned/i.test(summary) ? 'unsigned integer overflow' : 'integer overflow',
  invalid_logical_operand: () => NO_OVERLOAD,
  invalid_condition_type: () => NO_OVERLOAD,
  no_such_overload: () => NO_OVERLOAD,
  no_matching_overload: () => NO_OVERLOAD,
  optional_value_missing: () => 'optional.none() dereference',
};

const NO_OVERLOAD = 'no such overload';

/** What an evaluation failed with, in cel-go's words where the library has its own. */
export function describeError(error: unknown): string {
  const [code, summary] = [codeOf(error), summaryOf(error)];
  return Object.hasOwn(WORDINGS, code) ? (WORDINGS[code]?.(summary) ?? summary) : summary;
}

/** The library's errors have a code, and a summary without the excerpt that its messages end with. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function summaryOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'summary' in error && typeof error.summary === 'string' ? error.summary : error.message;
}
