import type { Operator } from '@kubewright/operators';
import type { Terminal } from '../terminal.ts';

/** The terminal with the settings that the demos need, where others are not set. */
export function withDemoSettings(terminal: Terminal, operators: readonly Operator[]): Terminal {
  const needed = operators.map(({ demo }) => demo?.settings ?? {});
  return { ...terminal, env: Object.assign({}, ...needed, terminal.env) };
}
