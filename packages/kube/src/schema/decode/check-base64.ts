const CLASS = /^[A-Za-z0-9+/]$/;

/**
 * Checks standard base64 with padding as Go's `base64.StdEncoding` does: line breaks are skipped, everything else counts.
 * Returns the text without line breaks, or the offset that Go's error names.
 */
export function checkBase64(text: string): { readonly text: string } | { readonly badByte: number } {
  let quantum = 0;
  let start = 0;
  let index = 0;
  for (; index < text.length; index++) {
    const char = text[index] as string;
    if (char === '\n' || char === '\r') continue;
    if (char === '=') return checkPadding(text, index, quantum);
    if (!CLASS.test(char)) return { badByte: index };
    if (quantum === 0) start = index;
    quantum = (quantum + 1) % 4;
  }
  return quantum === 0 ? { text: withoutBreaks(text) } : { badByte: start };
}

/** Nothing but line breaks may follow the one or two padding characters of the last quantum. */
function checkPadding(text: string, first: number, quantum: number): ReturnType<typeof checkBase64> {
  if (quantum < 2) return { badByte: first };
  let index = skipBreaks(text, first + 1);
  if (quantum === 2) {
    if (index === text.length) return { badByte: text.length };
    if (text[index] !== '=') return { badByte: index - 1 };
    index = skipBreaks(text, index + 1);
  }
  return index < text.length ? { badByte: index } : { text: withoutBreaks(text) };
}

function skipBreaks(text: string, from: number): number {
  let index = from;
  while (text[index] === '\n' || text[index] === '\r') index++;
  return index;
}

function withoutBreaks(text: string): string {
  return text.replaceAll(/[\r\n]/g, '');
}
