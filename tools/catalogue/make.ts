/**
 * Writes packages/kube/data/catalogue.json from a running cluster and this repository's Go program:
 *
 *   (cd tools/catalogue && go run . > /tmp/go-types.json)
 *   node --conditions=source --import tsx tools/catalogue/make.ts <kubeconfig> /tmp/go-types.json
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { type GoTypes, type JsonObject, importCatalogue } from '@kubewright/kube';

const [kubeconfig, goTypesFile] = process.argv.slice(2);
if (kubeconfig === undefined || goTypesFile === undefined)
  throw new Error('usage: make.ts <kubeconfig> <go-types.json>');

function get(path: string): JsonObject {
  const text = execFileSync('kubectl', ['--kubeconfig', kubeconfig as string, 'get', '--raw', path], {
    maxBuffer: 1 << 28,
  });
  return JSON.parse(text.toString()) as JsonObject;
}

const paths = Object.keys(get('/openapi/v3')['paths'] ?? {}).filter((path) => path.startsWith('api'));
const documents = Object.fromEntries(paths.map((path) => [path, get(`/openapi/v3/${path}`)]));
const goTypes = JSON.parse(readFileSync(goTypesFile, 'utf8')) as GoTypes;
const data = importCatalogue(documents, goTypes);
writeFileSync(
  new URL('../../packages/kube/data/catalogue.json', import.meta.url),
  `${JSON.stringify(data)}\n`,
);
