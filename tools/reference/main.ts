// npm run reference: writes docs/reference. test/reference.test.ts checks that it is current.
import { mkdirSync, writeFileSync } from 'node:fs';
import { referencePages } from './reference-pages.ts';

const folder = new URL('../../docs/reference/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, text] of await referencePages()) writeFileSync(new URL(name, folder), text);
