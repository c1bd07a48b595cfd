type YamlError = Error & {
  readonly code?: string;
  readonly linePos?: readonly { readonly line: number; readonly col: number }[];
};

/**
 * What a YAML parser found wrong, and where: `line 3, column 5: bad indent`. The parser's own message quotes the lines around
 * it, which may hold a password.
 */
export function yamlErrorText(error: unknown): string {
  if (!(error instanceof Error)) return 'invalid YAML';
  const { code, linePos: [start] = [] } = error as YamlError;
  // An error without a code is about an alias: the parser has read the text, and builds the value.
  const what = code === undefined ? 'an alias cannot be resolved' : code.toLowerCase().replaceAll('_', ' ');
  return start === undefined ? what : `line ${start.line}, column ${start.col}: ${what}`;
}
