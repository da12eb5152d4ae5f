-- How a turn's ballots stand, by side and column: in events where everybody knows who sees it.
-- KEYS: ballots.  ARGV: columns.  Answers {{red's first column, ...}, {yellow's first column, ...}}.
local counts = { red = {}, yellow = {} }
for column = 1, tonumber(ARGV[1]) do
  counts.red[column], counts.yellow[column] = 0, 0
end
for _, ballot in ipairs(redis.call('HVALS', KEYS[1])) do
  local side, column = string.match(ballot, '^"(%a+)",(%d+)')
  local of, number = counts[side], tonumber(column)
  of[number] = of[number] + 1
end
return { counts.red, counts.yellow }
