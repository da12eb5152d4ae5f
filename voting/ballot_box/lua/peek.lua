-- Count a turn's votes by side and column, for events that announce who sees live counts.
-- A ranking counts for its first choice, a set for each of its columns (see voting/counting/ballots.py).
-- The cost depends on the number of different ballots (see cast.lua), not on the number of ballots, except if the box
-- doesn't know all votes by choice: after a restart with an older version, or if it was restored. Then it counts anew.
-- KEYS: box, ballots.
-- ARGV: number of columns; most votes that a set can give a column.
-- Returns {{red's column 1, ...}, {yellow's column 1, ...}}.
local counts, base = { red = {}, yellow = {} }, tonumber(ARGV[2]) + 1
for column = 1, tonumber(ARGV[1]) do
  counts.red[column], counts.yellow[column] = 0, 0
end
local votes, known, total = {}, 0, 0
local box = redis.call('HGETALL', KEYS[1])
for i = 1, #box, 2 do
  local field, value = box[i], tonumber(box[i + 1])
  if string.sub(field, 1, 6) == 'votes:' then
    votes[field], known = value, known + value
  elseif field == 'red' or field == 'yellow' then
    total = total + value
  end
end
if known ~= total then
  for field in pairs(votes) do
    votes[field] = 0
  end
  for _, ballot in ipairs(redis.call('HVALS', KEYS[2])) do
    local field = string.format('votes:%s:%s', string.match(ballot, '^"(%a+)",(%d+)'))
    votes[field] = (votes[field] or 0) + 1
  end
  for field, number in pairs(votes) do
    redis.call('HSET', KEYS[1], field, number)
  end
end
for field, votes_alike in pairs(votes) do
  local side, choice = string.match(field, '^votes:(%a+):(%d+)')
  local of, said = counts[side], tonumber(choice) % 1073741824
  if said < 536870912 then
    of[said % 256] = of[said % 256] + votes_alike
  else
    for number = 1, #of do
      of[number] = of[number] + votes_alike * (math.floor((said - 536870912) / base ^ (number - 1)) % base)
    end
  end
end
return { counts.red, counts.yellow }
