import type { Terminal } from '../terminal.ts';

/** Operators read what is used on a cluster of one's own from its own Prometheus, unless the environment names another. */
export function withPrometheus(terminal: Terminal, url: string): Terminal {
  return { ...terminal, env: { OPRC_CRM_PROM_URL: url, ...terminal.env } };
}
