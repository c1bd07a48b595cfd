/** The most characters that a glob may have: names of Kubernetes have no more. */
export const MAX_GLOB_LENGTH = 253;

/**
 * Whether the whole text is like a glob: `*` stands for any characters, also none. Where `one` is given, it stands for
 * exactly one character. Two positions move from left to right, and the one in the glob falls back at most to the last
 * `*`: there are at most as many comparisons as the product of the lengths, and with a given glob the work grows as the text.
 */
export function matchesGlob(glob: string, text: ArrayLike<string>, one?: '?'): boolean {
  let inGlob = 0;
  let star = -1;
  let afterStar = 0;
  for (let inText = 0; inText < text.length; ) {
    const wanted = glob[inGlob];
    if (wanted === '*') {
      star = inGlob++;
      afterStar = inText;
    } else if (wanted !== undefined && (wanted === one || wanted === text[inText])) {
      inGlob++;
      inText++;
    } else if (star >= 0) {
      inGlob = star + 1;
      inText = ++afterStar;
    } else return false;
  }
  while (glob[inGlob] === '*') inGlob++;
  return inGlob === glob.length;
}
