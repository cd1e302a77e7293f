/**
 * The three shapes of GitHub: github.com (`https://api.github.com`), a tenant with its own data residency
 * (`https://api.TENANT.ghe.com`) and Enterprise Server (`https://HOST/api/v3`).
 */

/** Where GraphQL stands beside a REST base: `/api/v3` becomes `/api/graphql`, other bases get `/graphql`. */
export function graphqlUrlOf(apiUrl: string): string {
  const base = bare(apiUrl);
  return base.endsWith('/api/v3') ? base.replace(/\/v3$/, '/graphql') : `${base}/graphql`;
}

/** Where people look at what stands behind a REST base. */
export function webUrlOf(apiUrl: string): string {
  const base = bare(apiUrl);
  if (base.endsWith('/api/v3')) return base.slice(0, -'/api/v3'.length);
  return base.replace(/^(https?:\/\/)api\./, '$1');
}

/** The page on which an owner accepts permissions. */
export const installationUrlOf = (
  apiUrl: string,
  { id, owner, ownerIsOrganization }: { id: number; owner: string; ownerIsOrganization: boolean },
): string =>
  `${webUrlOf(apiUrl)}${ownerIsOrganization ? `/organizations/${owner}` : ''}/settings/installations/${id}`;

const bare = (url: string): string => url.replace(/\/+$/, '');
