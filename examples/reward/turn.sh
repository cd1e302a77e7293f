#!/bin/sh
# One turn of an agent: learn from what reviewers left open, then choose what to work on.
# On GitHub the first line would be:
#   evident reward collect --repo octo-org/shop --last 50 --cache .evident --out reviews.jsonl
set -eu
reviews=${REVIEWS:-threads.json}

evident reward score --settings settings.json "$reviews" > score.json
evident reward update --state learned.json --settings settings.json "$reviews" > told.json
evident reward choose --state learned.json --among billing,search,docs --seed "${SEED:-$(date +%F)}" |
  sed -n 's/^  "choice": "\(.*\)",$/next: \1/p; s/^  "advice": "\(.*\)"$/\1/p'
