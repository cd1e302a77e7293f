import fc from 'fast-check';
import { parseDiff } from '../../lib/core/diff.js';
import { labelSecrets, labelSecretsInDiff } from '../../lib/core/secret.js';

/** Built from parts, so that this file holds no secret and is not labelled when it is reviewed. */
const made = (...parts: string[]): string => parts.join('');
const random36 = made('r7Kd02LmQx9', 'Zp4TfWc8Yh1', 'NbV5sGj3EoUa6i');
const random32 = made('9f8Qe2LmRx7', 'Zp4TfWc8Yh', '1NbV5sGj3Eo');
const hex32 = made('9f86d081884c7d65', '9a2feaa0c55ad015');
const awsSecret = made('tRz9kLmQ2xVb7', 'NfYc4HjW8pDs1G/', 'oTaEu6iKq3ZX');
const keyBody = [
  made('MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj', 'AgEAAoIBAQC7VJTUt9Us8cKj'),
  made('MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDu', 'ictGeurT8jNbvJZHtCSuYEvu'),
  made('NMoSfm76oqFvAp8Gy0iz5s=='),
];
const opening = made('-----BEGIN ', 'PRIVATE KEY-----');
const closing = made('-----END ', 'PRIVATE KEY-----');

describe('a secret is replaced and the code around it stays', () => {
  test.each([
    ['const id = "', made('AKIA', 'Q3EGRZ7WX5TKLMNP'), '";', 'aws access key'],
    ['aws_secret_access_key = ', awsSecret, '', 'aws secret key'],
    ['  awsSecretKey: "', awsSecret, '",', 'aws secret key'],
    ['token: ', made('ghp', '_', random36), '', 'github token'],
    ['https://x-access-token:', made('gho', '_', random36), '@github.com/a/b', 'github token'],
    ['PAT=', made('github', '_pat_', random36, '_', random36), '', 'github token'],
    ['key := "', made('sk-', 'ant-', 'api03-', random36), '"', 'anthropic key'],
    ["openai('", made('sk-', 'proj-', random36), "')", 'openai key'],
    ['SLACK=', made('xoxb', '-2488123456-', random32), '', 'slack token'],
    ["stripe('", made('sk', '_live_', random32), "')", 'stripe live key'],
    ["stripe('", made('rk', '_live_', random32), "')", 'stripe live key'],
    ["key: '", made('AIza', random36.slice(0, 35)), "'", 'google api key'],
    ['//registry.npmjs.org/:_authToken=', made('npm', '_', random36), '', 'npm token'],
    ['const apiKey = "', hex32, '";', 'api key'],
    ['  "client_secret": "', random36, '",', 'secret'],
    ["  headers['X-Api-Key'] = '", random36, "';", 'api key'],
    ["const accessToken: string = '", random36, "';", 'token'],
    ["const key = env.API_KEY ?? '", random36, "';", 'api key'],
    ["if (token === '", random36, "') return;", 'token'],
    ["jwtToken = '", made('eyJhbGciOiJIUzI1NiJ9', '.eyJ1aWQiOjQyfQ.', random32), "'", 'token'],
    ['Authorization: Bearer ', random36, '', 'token'],
    ["password: '", made('Tr0ub4', 'dor&3x'), "'", 'password'],
    ['DB_PASSWORD=', made('kP7#mW', 'q2!zL'), '', 'password'],
    ['postgres://app:', made('kP7mWq', '2zL9x'), '@db:5432/shop', 'password'],
    ['export SERVICE_TOKEN=', random36, ' # prod', 'token'],
  ])('%s…%s', (before, secret, after, kind) => {
    const { text, labels } = labelSecrets(`first\n${before}${secret}${after}\nlast`);
    expect(text).toMatch(new RegExp(`\\[secret: ${kind} [0-9a-f]{6}\\]`));
    expect(text.replace(/\[secret: [^\]]+\]/, '…')).toBe(`first\n${before}…${after}\nlast`);
    expect(labels).toEqual([
      { line: 2, kind, label: expect.stringContaining(kind), maskedLength: secret.length },
    ]);
  });
});

describe('what is no secret stays as it is', () => {
  test.each([
    `"integrity": "sha512-${made('zRSVH0nhFRHtDiD2', 'Q3mXN5kvJ7pB9wT4+/8xY==')}",`,
    `  resolved "https://packages.example.org/a/-/a-1.0.0.tgz#${hex32}deadbeef"`,
    'const commit = "0a6bc42f96ba0a8b9a1b5ed0b4f2a6b2c1d3e4f5";',
    'uses: actions/checkout@b4ffde65f46336ab88eb53be808477a3936bae11',
    'token: 123e4567-e89b-42d3-a456-426614174000',
    'const password = process.env.PASSWORD;',
    'password: ${DB_PASSWORD}',
    'password: {{ vault_password }}',
    "password: 'changeme'",
    "password = 'correct-horse'",
    "const token = 'your-token-goes-here-0000';",
    'API_KEY=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    "api_key: 'example-key-1234567890abcdef'",
    "key: 'AKIAIOSFODNN7EXAMPLE'",
    "t('errors.token.invalid_or_expired_v2')",
    "const tokenUrl = 'https://login.host.io/oauth2/v2/token1234567';",
    "const TOKEN_HEADER = 'X-Shop-Access-Token-V2-Header';",
    `csrfToken: '${random36}'`,
    `nextPageToken: '${random36}'`,
    `passwordHash: '${random36}'`,
    `password: '^(?=.*[A-Z])(?=.*\\d).{8,}$'`,
    `publicKey: '${random36}'`,
    "secretName: 'projects/shop-42/secrets/db-main/versions/7'",
    "const secretArn = 'arn:aws:secretsmanager:eu-west-1:210987654321:secret:prod/db';",
    "<input type='password' name='password' placeholder='At least 8 Characters1!'>",
    'token = generate_token_for_user(user1, 2024)',
    'http://localhost:8080/a?b=c@d',
    'postgres://postgres:postgres@localhost/shop',
    'postgres://user:password123!A@localhost/shop',
    made("stripeKey: 'pk", '_live_', random32, "'"),
    '.sk-fading-circle-container-with-a-long-class-name-12 { color: red }',
    `${opening.replace('PRIVATE', 'PUBLIC')}\n${keyBody.join('\n')}\n${closing.replace('PRIVATE', 'PUBLIC')}`,
    `if (key.startsWith('${opening}')) {\n  const something = other;\n  return;\n}`,
    'const shape = /-----BEGIN [A-Z ]+PRIVATE KEY-----/;',
    `\`${opening}\n\${body}\n${closing}\``,
  ])('%s', (text) => {
    expect(labelSecrets(text)).toEqual({ text, labels: [] });
  });
});

describe('a private key', () => {
  const labelled = /^\[secret: private key ([0-9a-f]{6})\]$/;

  test('keeps its armour and its number of lines', () => {
    const { text, labels } = labelSecrets(['a', opening, ...keyBody, closing, 'b'].join('\n'));
    const lines = text.split('\n');
    expect([lines[0], lines[1], lines[5], lines[6]]).toEqual(['a', opening, closing, 'b']);
    const prints = lines.slice(2, 5).map((line) => labelled.exec(line)?.[1]);
    expect(new Set(prints).size).toBe(1);
    expect(prints[0]).toBeDefined();
    expect(labels.map(({ line, maskedLength }) => [line, maskedLength])).toEqual(
      [3, 4, 5].map((line) => [line, keyBody.join('').length]),
    );
  });

  test('is found in quotes, with carriage returns, with written line breaks and without its end', () => {
    const quoted = labelSecrets(
      [`k = "${opening}\\n" +`, ...keyBody.map((line) => `  "${line}\\n" +`), `  "${closing}"`].join('\n'),
    );
    expect(quoted.text.split('\n')[1]).toMatch(/^ {2}"\[secret: private key [0-9a-f]{6}\]\\n" \+$/);
    const windows = labelSecrets([opening, ...keyBody, closing].join('\r\n'));
    expect(windows.text.split('\r\n')[1]).toMatch(labelled);
    const one = labelSecrets(`KEY="${opening}\\n${keyBody.join('\\n')}\\n${closing}\\n"`);
    for (const line of keyBody) expect(one.text).not.toContain(line.slice(4, -4));
    const cut = labelSecrets([opening, ...keyBody.slice(0, 2), 'const next = 1;'].join('\n'));
    expect(cut.labels.map(({ line }) => line)).toEqual([2, 3]);
    expect(cut.text.split('\n')[3]).toBe('const next = 1;');
  });
});

test('two secrets in one line, and the same secret twice, are told apart', () => {
  const token = made('ghp', '_', random36);
  const { text } = labelSecrets(`a("${token}", "${made('npm', '_', random36)}")\nb("${token}")`);
  const labels = text.match(/\[secret: [^\]]+\]/g)!;
  expect(labels).toHaveLength(3);
  expect(labels[0]).toBe(labels[2]);
  expect(labels[1]).not.toBe(labels[0]);
});

describe('for any text', () => {
  const secrets = [
    made('ghp', '_', random36),
    made('AKIA', 'Q3EGRZ7WX5TKLMNP'),
    `password = "${made('Tr0ub4', 'dor&3x')}"`,
    `api_key: ${random36}`,
    opening,
    closing,
    ...keyBody,
    '[secret: github token 12ab34]',
    'secret: ',
    'token = "',
    '://a:',
    '\r\n',
    '\n',
    '"',
  ];
  const texts = fc
    .array(fc.oneof(fc.constantFrom(...secrets), fc.string({ unit: 'grapheme', maxLength: 8 })), {
      maxLength: 20,
    })
    .map((parts) => parts.join(''));

  test('labelling keeps the lines and does nothing the second time', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = labelSecrets(text);
        expect(once.text.split('\n')).toHaveLength(text.split('\n').length);
        expect(labelSecrets(once.text)).toEqual({ text: once.text, labels: [] });
        for (const { line, label } of once.labels) expect(once.text.split('\n')[line - 1]).toContain(label);
      }),
      { numRuns: 500 },
    );
  });

  const operators = [
    '=',
    ' = ',
    ':',
    ': ',
    ' := ',
    ' => ',
    ' == ',
    ' === ',
    ' != ',
    ', ',
    ' ?? ',
    ' || ',
    ': string = ',
  ];

  test.each(operators)('a name and its value are found around %j', (operator) => {
    for (const name of [
      'token',
      'api_key',
      "'client-secret'",
      '"dbPassword"',
      "env['AUTH_TOKEN_V2']",
      'SIGNING_KEY',
    ])
      for (const quote of ['"', "'", '`']) {
        const line = `  ${name}${operator}${quote}${random36}${quote};`;
        expect(labelSecrets(`const at = 1;\n${line}\n`).labels).toEqual([
          expect.objectContaining({ line: 2 }),
        ]);
      }
  });

  const ordinary = [
    '',
    'const a = 1;',
    'token: string, 2',
    'secret',
    '// https://a.b/c:d',
    "key: 'sk-1'",
    '\r',
  ];

  test('what stands in other lines neither hides a secret nor makes one', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...secrets, ...ordinary), { maxLength: 12 }), (lines) => {
        fc.pre(!lines.some((line) => line.includes('-----') || line.includes('\n')));
        const alone = lines.map((line) => labelSecrets(line));
        const whole = labelSecrets(lines.join('\n'));
        expect(whole.text).toBe(alone.map(({ text }) => text).join('\n'));
        expect(whole.labels).toEqual(
          alone.flatMap(({ labels }, at) => labels.map((label) => ({ ...label, line: at + 1 }))),
        );
      }),
    );
  });

  test('a hostile line is read to its end and stays one line', () => {
    for (const part of [
      'tokenkey',
      'token:',
      'token]]  ',
      'bearer ',
      'password="',
      '://a:b',
      'secret: ',
      'sk-',
      opening,
      '-----BEGIN ',
      '\\n+/',
      'key, ',
      `password="${made('kP7#', 'mWq2')}";`,
      `://a:${made('kP7#', 'mWq2')}@`,
      made('ghp', '_', random36, ' '),
      'secret: password="',
    ])
      expect(labelSecrets(part.repeat(Math.ceil(200_000 / part.length))).text).toMatch(/^.+$/);
  });
});

describe('in a diff', () => {
  const token = made('ghp', '_', random36);
  const diff = parseDiff(
    [
      'diff --git a/a.ts b/b.ts',
      'similarity index 80%',
      'rename from a.ts',
      'rename to b.ts',
      '--- a/a.ts',
      '+++ b/b.ts',
      '@@ -5,3 +5,4 @@',
      ` ${keyBody[0]}`,
      `-const t = "${token}";`,
      '+const t = read();',
      '+const u = 1;',
      ' end',
      '',
    ].join('\n'),
  );
  const rows = (labelled: typeof diff): string[] => {
    const [file] = labelled;
    return file?.content.kind === 'text'
      ? file.content.hunks.flatMap((hunk) => hunk.lines.map((line) => line.text))
      : [];
  };

  test('rows are labelled by themselves', () => {
    const labelled = labelSecretsInDiff(diff, () => null);
    expect(rows(labelled)[1]).toMatch(/^const t = "\[secret: github token [0-9a-f]{6}\]";$/);
    expect(rows(labelled)[0]).toBe(keyBody[0]);
    expect(rows(labelled)[2]).toBe('const t = read();');
  });

  test('the labelled file also knows a key that starts outside the hunk', () => {
    const asked: string[] = [];
    const labelled = labelSecretsInDiff(diff, (ref, path) => {
      asked.push(`${ref}:${path}`);
      return ref === 'head' ? ['1', '2', '3', opening, '[secret: private key aaaaaa]', 'other text'] : null;
    });
    expect(asked).toEqual(['head:b.ts', 'base:a.ts']);
    expect(rows(labelled)[0]).toBe('[secret: private key aaaaaa]');
    expect(rows(labelled)[2]).toBe('const t = read();');
  });
});
