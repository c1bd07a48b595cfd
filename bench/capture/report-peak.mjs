// Loaded into a process under measurement: at its end it writes to file descriptor 3 how much memory it had at most, in kB.
import { writeSync } from 'node:fs';

process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)));
