/** Go's `strings.TrimSpace`, which keeps a byte order mark where JavaScript's `trim` takes it for a space. */
export function trimSpace(text: string): string {
  return text.replace(/^\p{White_Space}+/u, '').replace(/\p{White_Space}+$/u, '');
}
