import { join } from 'node:path';
import type { KubeObject } from '@kubewright/kube';
import { indexOf } from '../export/export-index.ts';
import { writeExport } from '../export/write-export.ts';

/** An export of these objects, as another cluster may have had them. Resolves with where it is. */
export async function exportOf(
  folder: string,
  name: string,
  objects: readonly KubeObject[],
): Promise<string> {
  const at = join(folder, name);
  const captured = async function* () {
    yield* JSON.parse(JSON.stringify(objects)) as KubeObject[];
  };
  await writeExport(at, await indexOf(name, captured()), captured());
  return at;
}
