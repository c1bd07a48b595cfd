import { systemClock } from '@kubewright/client';
import { type ChartCertificate, chartManifests, chartValues } from '@kubewright/operators';
import { x509Issuer } from '@kubewright/runtime';
import type { DriftManifestsOptions } from '../../command-options.ts';
import type { Terminal } from '../../terminal.ts';
import { encodeYaml } from '../encode-yaml.ts';
import { readYamlFile } from '../read-yaml-file.ts';

const HOUR_MS = 3_600_000;
/** As the original's chart has it: nothing renews it. */
const VALID_MS = 10 * 365 * 24 * HOUR_MS;

/** `kubewright drift manifests`: what the original's Helm chart installs, with our program. */
export async function driftManifests(options: DriftManifestsOptions, { out }: Terminal): Promise<void> {
  const { values, name, namespace, image } = options;
  const given = values === undefined ? null : await readYamlFile(values, 'the values');
  const objects = await chartManifests(chartValues(given), { name, namespace, image, issue });
  out(objects.map((object) => encodeYaml(object)).join('---\n'));
}

async function issue(hosts: readonly string[]): Promise<ChartCertificate> {
  const now = systemClock.now();
  const validity = { notBefore: now - HOUR_MS, notAfter: now + VALID_MS };
  const authority = await x509Issuer.authority(validity);
  const { cert, key } = await x509Issuer.leaf(authority, hosts, validity);
  return { ca: authority.cert, cert, key, segment: x509Issuer.segment() };
}
