// Standard input, a plan as JSON, with keys indented, so that differences of goldens can be read.
import { text } from 'node:stream/consumers';

process.stdout.write(`${JSON.stringify(JSON.parse(await text(process.stdin)), undefined, 1)}\n`);
