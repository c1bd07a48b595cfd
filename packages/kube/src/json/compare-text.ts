/** Order of strings by their UTF-16 code units, the same in every locale: for `sort`. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
