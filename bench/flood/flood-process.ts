// Floods a port, in a process of its own. A line of input begins; the response says that all is through. The end of the input
// closes the slow connections.
//
// Usage: flood-process.ts TARGET SIZE, both as JSON
import { createInterface } from 'node:readline';
import { flood, type FloodSize, type Target } from '../../test/attack/flood.ts';

const [target, size] = process.argv.slice(2).map((argument) => JSON.parse(argument) as unknown);
let flooding: Awaited<ReturnType<typeof flood>> | undefined;
for await (const _line of createInterface({ input: process.stdin })) {
  flooding = await flood(target as Target, size as FloodSize);
  console.log('true');
}
flooding?.release();
