// An application of the original system in a real container. It shows at port 8080 what its process has in memory.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { runOriginalApplication } from '../contracts/migration/original-application.mjs';

const MIB = 1024 * 1024;
const bootId = randomUUID();
const memory = randomBytes(16 * MIB);
const state = {
  applied: [],
  replay: undefined,
  isWaiting: process.env.MS2M_RESTORE_MODE === 'true',
};

process.on('SIGTERM', () => process.exit(0));
createServer((_request, response) => {
  const checksum = createHash('sha256').update(memory).digest('hex');
  response.end(JSON.stringify({ bootId, checksum, applied: state.applied }));
}).listen(8080, '0.0.0.0');

// Not from the environment, nor from hostname(2): they are those of the process that was checkpointed.
await runOriginalApplication(state, () => readFileSync('/etc/hostname', 'utf8').trim());
