import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { aYearFrom, issueCertificate, makeAuthority } from './authority.ts';

test('the key of a certificate is in SEC 1, which clients in Java read, and is the key of the certificate', async () => {
  const validity = aYearFrom(new Date());
  const authority = await makeAuthority('ca', validity);
  const subject = [{ CN: ['jane'] }];
  const issued = await issueCertificate(authority, {
    subject,
    usage: 'client',
    serialNumber: '02',
    validity,
  });
  for (const { cert, key } of [authority, issued]) {
    expect(key).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
    expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true);
  }
  expect(new X509Certificate(issued.cert).checkIssued(new X509Certificate(authority.cert))).toBe(true);
});
