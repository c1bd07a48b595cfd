import { KubeError } from '../kube-error.ts';

/** An error at a place of the text, of which it quotes nothing: that may be a password. */
export function yamlError(text: string, offset: number, what: string): KubeError {
  return new KubeError('InvalidYaml', `${placeOf(text, offset)}: ${what}`);
}

/** What the library found wrong, by its code: its own message may quote the text. */
export function yamlSyntaxError(
  text: string,
  { code, pos }: { readonly code: string; readonly pos: readonly [number, number] },
): KubeError {
  return yamlError(text, pos[0], code.toLowerCase().replaceAll('_', ' '));
}

/** The number of a line, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

function placeOf(text: string, offset: number): string {
  const column = offset - text.lastIndexOf('\n', offset - 1);
  return `line ${lineAt(text, offset)}, column ${Math.max(column, 1)}`;
}
