/**
 * A signal for {@link Manager.start}: aborted by the first SIGTERM or SIGINT, which lets the manager stop in order. The
 * second ends the process at once.
 */
export function setupSignalHandler(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  return stop.signal;
}
