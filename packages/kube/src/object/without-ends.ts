/** The text without the characters of this kind that it ends with. A regular expression for it would try each run of them. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** The text without the characters of this kind that it begins and ends with. */
export function withoutEnds(text: string, character: string): string {
  let start = 0;
  while (text[start] === character) start++;
  return withoutTrailing(text.slice(start), character);
}
