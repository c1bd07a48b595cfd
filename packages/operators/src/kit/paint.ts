type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

const CODES: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** Writes text in a style, or as it is. */
export type Paint = (style: Style, text: string) => string;

/** A {@link Paint} for a terminal that shows colours, or for one that does not. */
export function paintFor(colour: boolean): Paint {
  return (style, text) => (colour ? `\u001b[${CODES[style][0]}m${text}\u001b[${CODES[style][1]}m` : text);
}

// Control characters except tab and newline: an object's strings could otherwise move the cursor or fake output.
const CONTROLS = /[^\P{Cc}\n\t]/gu;

/** Text from a cluster, safe to print on a terminal. */
export function printable(text: string): string {
  return text.replaceAll(CONTROLS, '\ufffd');
}
