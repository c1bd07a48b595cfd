import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useFolder } from '../../../../test/support/use-folder.ts';
import { readManifests } from '../classes/commands/read-manifests.ts';
import { readObjects } from '../ownership/owners/read-objects.ts';
import { readOutput } from '../ownership/synthesis/read-output.ts';
import { readDocuments } from './read-documents.ts';

const { signal } = new AbortController();

describe('the files that commands name', () => {
  const folder = useFolder();
  const file = join(folder, 'file.yaml');

  it('are read as kubectl reads them', async () => {
    writeFileSync(
      file,
      '{"a": 9007199254740993}\n---\nhash: [e10, e1234567, 1234e567]\ntime: 22:30\nday: 2026-11-29\n---\n# nothing\n',
    );
    expect(await readDocuments(file)).toEqual([
      { a: 9007199254740993n },
      { hash: ['e10', 'e1234567', '1234e567'], time: '22:30', day: '2026-11-29' },
    ]);
  });

  it('are named in errors, with the line', async () => {
    writeFileSync(file, 'a: 1\n---\nb:\n\tc: 1\n');
    await expect(readDocuments(file)).rejects.toThrow(
      `${file}: line 4, column 1: found character that cannot start`,
    );
  });

  it('of objects may have times that are not quoted', async () => {
    writeFileSync(
      file,
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  creationTimestamp: 2026-11-29T10:00:00Z\n' +
        '  managedFields:\n  - {manager: m, operation: Apply, apiVersion: v1, time: 2026-11-29T10:00:00Z, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:a": {}, .: {}}}}\n',
    );
    const [object] = await readObjects(file, { signal });
    expect(object?.metadata).toMatchObject({
      creationTimestamp: '2026-11-29T10:00:00Z',
      managedFields: [{ time: '2026-11-29T10:00:00Z', fieldsV1: { 'f:data': { '.': {} } } }],
    });
  });

  it('of ClassRuntimes keep a tag that looks like a number', async () => {
    writeFileSync(
      file,
      'apiVersion: oaas.io/v1alpha1\nkind: ClassRuntime\nmetadata: {name: a}\nspec: {functions: [{function_key: 1e3.f, provision_config: {container_image: 2026-11-29}}]}\n',
    );
    const [manifest] = await readManifests(file, { namespace: 'team', signal });
    expect(manifest?.spec?.functions).toEqual([
      { function_key: '1e3.f', provision_config: { container_image: '2026-11-29' } },
    ]);
  });

  it('are bounded where a container prints them', () => {
    const output = (items: string) =>
      `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: [${items}]\n`;
    const item = '{apiVersion: v1, kind: ConfigMap, metadata: {name: e10}}';
    expect(readOutput(output(item))).toMatchObject({ ok: true, items: [{ metadata: { name: 'e10' } }] });
    expect(readOutput(output('a,'.repeat(300_001)))).toMatchObject({
      ok: false,
      message: expect.stringContaining('exceeded 300000 values') as string,
    });
  });
});
