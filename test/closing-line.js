/**
 * Prints `N passed, N failed` (and `, N skipped`) alone on the last line, for people and for CI, after the names of what
 * was skipped. In CI nothing may be: the machine lacks something that `.ci/run` installs.
 */
export default class ClosingLine {
  #every;
  #skipped = [];

  constructor({ testNamePattern }) {
    // `-t NAME` skips the others on purpose.
    this.#every = !testNamePattern;
  }

  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    this.#skipped = results.testResults.flatMap((file) =>
      file.testResults.filter(({ status }) => status === 'pending').map(({ fullName }) => fullName),
    );
    const told = this.#every ? this.#skipped.map((name) => `Skipped: ${name}\n`).join('') : '';
    const why = this.getLastError();
    const skipped = results.numPendingTests;
    process.stdout.write(
      `\n${told}${why === undefined ? '' : `${why.message}\n`}${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
    );
  }

  getLastError() {
    const isCi = !['', '0', 'false'].includes((process.env.CI ?? '').toLowerCase());
    if (isCi && this.#every && this.#skipped.length > 0)
      return new Error(
        `Skipped in CI, where every test has to run: ${this.#skipped.length}. The run counts as failed.`,
      );
    return undefined;
  }
}
