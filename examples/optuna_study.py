#!/usr/bin/python3
"""Lets Optuna drive trials of fsadvise: a search by TPE on a replay table, over the protocol of docs/study-serve.md.

    examples/optuna_study.py TABLE [--trials 100] [--seeds 1] [--fsadvise fsadvise]

Prints one JSON line a seed: the regret after each trial. Needs Debian's python3-optuna.
"""
import argparse
import json
import os
import subprocess
import sys

import optuna


class Server:
    """A child `fsadvise study serve`, one request and one answer at a time."""

    def __init__(self, command):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.hello = self.receive()

    def receive(self):
        line = self.child.stdout.readline()
        if not line:
            raise SystemExit("fsadvise ended before it answered; its message is above")
        return json.loads(line)

    def request(self, name, **more):
        self.child.stdin.write(json.dumps({"request": name, **more}) + "\n")
        self.child.stdin.flush()
        answer = self.receive()
        if "error" in answer:
            raise SystemExit("fsadvise refused %s: %s" % (name, answer["error"]))
        return answer

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def suggest(trial, filesystems):
    """The conditional space: a filesystem, then its own parameters. None = not set."""
    filesystem = trial.suggest_categorical("filesystem", sorted(filesystems))
    values = {}
    for name, choices in filesystems[filesystem].items():
        # Choices as JSON text: Optuna would take true and 1 for the same.
        value = json.loads(trial.suggest_categorical(filesystem + ":" + name, [json.dumps(c) for c in choices]))
        if value is not None:
            values[name] = value
    return {"filesystem": filesystem, "values": values}


def search(arguments, seed):
    server = Server([arguments.fsadvise, "study", "serve", "--quiet", "--no-advice", "--replay", arguments.table,
                     "--seed", str(seed), "--noise", str(arguments.noise), "--sampler", "random"])
    filesystems = server.request("space")["filesystems"]
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed, multivariate=arguments.multivariate))
    ran, regret, last = {}, [], None
    for _ in range(arguments.trials):
        trial = study.ask()
        answer = server.request("run", configuration=suggest(trial, filesystems), nearest=True)
        ran[trial.number] = answer["configuration"]
        if answer["state"] == "complete":
            study.tell(trial, answer["value"])
        else:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        try:
            last = server.request("score", configuration=ran[study.best_trial.number])["regret"]
        except ValueError:  # nothing has succeeded yet
            pass
        regret.append(last)
    server.close()
    known = [r for r in regret if r is not None]
    return [known[0] if r is None else r for r in regret]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--multivariate", action="store_true", help="TPE over all parameters together")
    parser.add_argument("--fsadvise", default=os.environ.get("FSADVISE", "fsadvise"))
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for seed in range(1, arguments.seeds + 1):
        line = {"table": os.path.basename(arguments.table), "sampler": "optuna-tpe", "seed": seed,
                "trials": arguments.trials, "stopped": "", "material": False, "regret": search(arguments, seed)}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    sys.exit(main())
