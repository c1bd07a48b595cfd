/**
 * A signal for {@link Manager.start}: aborted by the first SIGTERM or SIGINT, for a graceful stop of the manager. The
 * second one exits the process at once.
 */
export function setupSignalHandler(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  return stop.signal;
}
