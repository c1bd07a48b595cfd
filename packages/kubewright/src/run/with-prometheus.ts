import type { Terminal } from '../terminal.ts';

/**
 * Operators read what is used on a cluster of one's own from its own Prometheus, unless the environment names another. It has no past,
 * so that a range makes no difference to what it says, and nobody waits for one to pass.
 */
export function withPrometheus(terminal: Terminal, url: string): Terminal {
  if (terminal.env['OPRC_CRM_PROM_URL'] !== undefined) return terminal;
  return { ...terminal, env: { ...terminal.env, OPRC_CRM_PROM_URL: url, OPRC_CRM_PROM_RANGE: '10s' } };
}
