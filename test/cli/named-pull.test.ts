import { placeOf, repositoryOf } from '../../cli/named-pull.js';

test.each<readonly [string, string | null]>([
  ['https://github.com/octo-org/shop.git', 'github.com octo-org/shop'],
  ['https://github.com/octo-org/shop', 'github.com octo-org/shop'],
  ['https://x-access-token:abc@github.com/octo-org/shop.git/', 'github.com octo-org/shop'],
  ['git@github.com:octo-org/shop.js.git', 'github.com octo-org/shop.js'],
  ['ssh://git@ssh.github.com:443/octo-org/shop.git', 'github.com octo-org/shop'],
  ['GitHub.example.com:octo-org/shop', 'github.example.com octo-org/shop'],
  ['http://127.0.0.1:4815/octo-org/shop.git', '127.0.0.1 octo-org/shop'],
  ['/srv/git/shop.git', null],
  ['../shop', null],
  ['https://github.com/octo-org', null],
  ['https://github.com/octo-org/shop/more', null],
])('the remote %s', (url, wanted) => {
  const found = repositoryOf(url);
  expect(found === null ? null : `${found.host} ${found.owner}/${found.repo}`).toBe(wanted);
});

test.each<readonly [string, string | null]>([
  ['octo-org/shop#7', 'octo-org/shop 7'],
  ['https://github.com/octo-org/shop/pull/7/files#diff-1', 'octo-org/shop 7 https://github.com'],
  ['https://octocat@github.com/octo-org/shop/pull/7', null],
  ['octo-org/shop#0', null],
  ['7', null],
])('the pull request %s', (text, wanted) => {
  const place = placeOf(text);
  const words =
    place === null
      ? null
      : [`${place.owner}/${place.repo}`, place.number, ...(place.origin === null ? [] : [place.origin])].join(
          ' ',
        );
  expect(words).toBe(wanted);
});
