import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DriftReport } from '../reports/drift-report.ts';

/** A backend of DriftReports. */
export type ReportBackend = {
  /** What it has acknowledged, in order. */
  readonly acknowledged: readonly DriftReport[];
  /** Reports that it has rejected. */
  readonly rejected: number;
  /** The next so many are rejected with 503. */
  reject(reports: number): void;
  /** Resolves with its URL. */
  listen(): Promise<string>;
  close(): Promise<void>;
};

export function reportBackend(): ReportBackend {
  const acknowledged: DriftReport[] = [];
  let [rejected, toReject] = [0, 0];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const fails = toReject > 0;
      if (fails) [rejected, toReject] = [rejected + 1, toReject - 1];
      else acknowledged.push(JSON.parse(body) as DriftReport);
      response.writeHead(fails ? 503 : 200).end(JSON.stringify({ acknowledged: !fails }));
    });
  });
  return {
    acknowledged,
    get rejected() {
      return rejected;
    },
    reject: (reports) => void (toReject = reports),
    async listen() {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
