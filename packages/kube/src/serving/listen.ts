/** What is needed of a server of `node:net`, and of all that are built on it. */
export type NetServer = {
  listen(at: { readonly port: number; readonly host?: string }, listening: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  address(): string | { readonly port: number } | null;
};

/**
 * Resolves with the port once `server` listens, and rejects where it cannot. Errors of later (the process has no file
 * descriptor left for a connection) go to `failed`: one that has no listener ends the process.
 */
export function listen(
  server: NetServer,
  { host, port }: { readonly host?: string | undefined; readonly port: number },
  failed: (error: Error) => void = () => undefined,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let isListening = false;
    server.on('error', (error) => {
      if (isListening) failed(error);
      else reject(error);
    });
    server.listen(host === undefined ? { port } : { port, host }, () => {
      isListening = true;
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
