// Questions to the worker, each a promise of its answer.

const LONGEST = 30_000; // milliseconds after which the worker is given up

export class Asking {
  constructor(told) {
    this.told = told;
    this.start();
  }

  start() {
    this.waiting = new Map();
    this.isReady = false;
    this.worker = new Worker("./worker.js", { type: "module" });
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.told(`Python could not be started: ${event.message}`);
    this.told("Python is being loaded …");
  }

  hear({ ready, failed, id, answer, error, isOver }) {
    if (ready) {
      this.isReady = true;
      for (const question of this.waiting.values()) this.limit(question);
      this.told("");
    } else if (failed) {
      this.told(`Python could not be started: ${failed}`);
    } else if (this.waiting.has(id)) {
      const question = this.waiting.get(id);
      this.waiting.delete(id);
      clearTimeout(question.clock);
      if (error === undefined) question.resolve(answer);
      else question.reject(new Error(error));
      if (isOver) this.again(error);
    }
  }

  ask(name, ...given) {
    return new Promise((resolve, reject) => {
      const id = crypto.randomUUID();
      const question = { resolve, reject, clock: undefined };
      this.waiting.set(id, question);
      if (this.isReady) this.limit(question);
      this.worker.postMessage({ id, name, given });
    });
  }

  // The time begins when Python is there.
  limit(question) {
    question.clock = setTimeout(() => this.again(`no answer within ${LONGEST / 1000} seconds`), LONGEST);
  }

  again(reason) {
    this.worker.terminate();
    const unanswered = [...this.waiting.values()];
    for (const { clock } of unanswered) clearTimeout(clock);
    this.start();
    for (const { reject } of unanswered) reject(new Error(reason));
  }
}
