import type { Client } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import { beforeAll } from 'vitest';
import {
  type OperatorUnderTest,
  useOperator,
  type UseOperatorOptions,
} from '../../kit/testing/use-operator.ts';
import { OBJECT_KEEPERS, type ObjectKeeper } from '../api/object-keeper.ts';
import { SNAPSHOT_CONTENTS, type StoredContent } from '../api/snapshots.ts';
import { captureParts } from '../controller.ts';
import { admissionChecks } from './admission-checks.ts';
import { makeClass, makeSnapshotClass } from './static-volumes.ts';

/** The operator, on a cluster that has the classes of static volumes. */
export function useStaticVolumes(
  transport: () => Transport,
  options: UseOperatorOptions = {},
): OperatorUnderTest {
  const capture = useOperator(transport, captureParts, options);
  beforeAll(async () => {
    await admissionChecks(capture);
    await makeClass(capture.admin);
    await makeSnapshotClass(capture.admin);
  });
  return capture;
}

/** The keepers that follow the object of this uid. */
export async function keepersOf(admin: Client, uid: string): Promise<readonly ObjectKeeper[]> {
  const { items } = await admin.list(OBJECT_KEEPERS);
  return items.filter(({ spec }) => spec.followObjectRef?.uid === uid);
}

/** The contents that were made for the request of this uid. */
export async function contentsOf(admin: Client, uid: string): Promise<readonly StoredContent[]> {
  const { items } = await admin.list(SNAPSHOT_CONTENTS);
  return items.filter(({ spec }) => spec.volumeSnapshotRef.uid === uid);
}
