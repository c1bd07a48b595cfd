/** The order in which API servers write lists of built-in kinds: the items come last. */
const CONTINUE =
  /^\{(?:"(?:kind|apiVersion)":"[^"\\]*",){0,2}"metadata":\{(?:"resourceVersion":"[^"\\]*",)?"continue":"([^"\\]+)"/;
/** A token has a few hundred characters. */
const HEAD_BYTES = 4096;

/** Reads the first bytes of a list, and calls `onContinue` if they hold the token of the next page. */
export function continueReader(onContinue: (token: string) => void): (head: Uint8Array) => void {
  return (head) => {
    const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, HEAD_BYTES)).toString(
      'latin1',
    );
    const token = CONTINUE.exec(text)?.[1];
    if (token !== undefined) onContinue(token);
  };
}
