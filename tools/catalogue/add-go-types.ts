/**
 * Adds what only Go knows to the built-in catalogue. To renew the catalogue from a cluster, at the repository's root:
 *
 *   npx kubewright schema import --output packages/kube/data/catalogue.json
 *   (cd tools/catalogue && go run . > /tmp/go-types.json)
 *   node --conditions=@kubewright/source --import tsx tools/catalogue/add-go-types.ts /tmp/go-types.json
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { type GoTypes, importCatalogue, loadCatalogue } from '@kubewright/kube/schema';

const [goTypesFile] = process.argv.slice(2);
assert(goTypesFile !== undefined, 'usage: add-go-types.ts <go-types.json>');

const goTypes = JSON.parse(readFileSync(goTypesFile, 'utf8')) as GoTypes;
const data = importCatalogue(Object.fromEntries(loadCatalogue().openApiDocuments), goTypes);
const file = new URL('../../packages/kube/data/catalogue.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(data)}\n`);
