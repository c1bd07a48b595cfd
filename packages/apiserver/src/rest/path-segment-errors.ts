/** What is wrong with `name` as one segment of a path; of a `prefix`, `.` and `..` may still become something. */
export function pathSegmentErrors(name: string, prefix = false): string[] {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
}
