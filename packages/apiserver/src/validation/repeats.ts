/** A check that is true for a text that it was given before. */
export function repeats(): (text: string) => boolean {
  const seen = new Set<string>();
  return (text) => {
    const again = seen.has(text);
    seen.add(text);
    return again;
  };
}
