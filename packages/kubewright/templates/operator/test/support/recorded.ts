import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordRequests, type RecordingTransport } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import { afterAll } from 'vitest';

/** A folder, while `npm run manifests` runs the tests to see which rights the operator needs. */
const FOLDER = process.env['RECORD_REQUESTS'];

export const isRecording: boolean = FOLDER !== undefined;

const recordings: RecordingTransport[] = [];

/** The transport of the operator. While it is recorded, what it requests is kept for `kubewright generate manifests`. */
export function recorded(transport: Transport): Transport {
  if (!isRecording) return transport;
  const recording = recordRequests(transport);
  recordings.push(recording);
  return recording;
}

if (FOLDER !== undefined)
  afterAll(() => {
    // No bodies: they may hold Secrets.
    const requests = recordings
      .flatMap((recording) => recording.requests)
      .map(({ method, path, status }) => ({ method, path, status }));
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, `${crypto.randomUUID()}.json`), JSON.stringify(requests));
  });
